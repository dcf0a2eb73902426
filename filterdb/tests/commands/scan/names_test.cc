// SPDX-License-Identifier: Apache-2.0

// Tests how filterdb prints file names, which may have any bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Uses a folder whose name fakes a line of the report, erases text on a
// terminal, and is not UTF-8.
class NamesTest : public ::testing::Test {
 protected:
  NamesTest() {
    SstableSpec spec;
    spec.folder = dir_ / "data/" + name_;
    spec.keys = {"alice", "bob", "carol"};
    spec.fault = FilterFault::kBitsCleared;
    std::filesystem::create_directories(spec.folder);
    WriteSstable(spec);
  }

  static void ExpectHarmless(const Ran& ran) {
    const std::string text = ran.out + ran.err;
    EXPECT_THAT(text, HasSubstr("ks\\x0aall is well\\x1b[2K\\xff"));
    EXPECT_THAT(text, Not(HasSubstr("\nall is well")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }

  const TempDir dir_;
  const std::string name_ = "ks\nall is well\x1b[2K\xff";
  const std::string filter_ =
      "'" + dir_ / "data/" + name_ + "/nb-1-big-Filter.db'";
};

TEST_F(NamesTest, InText) {
  ExpectHarmless(Filterdb("scan " + dir_ / "data"));
  ExpectHarmless(Filterdb("scan --what-if " + dir_ / "data"));
  ExpectHarmless(Filterdb("info " + filter_));
  ExpectHarmless(
      Filterdb("check --key-format=text --keys=- " + filter_, "echo alice |"));
  const std::string other = filter_ + ".new --from=nb --to=ma";
  ExpectHarmless(Filterdb("convert " + filter_ + " " + other));
  ExpectHarmless(
      Filterdb("build --key-format=text --keys=- --bits=10 "
               "--expected-keys=9 --force --out=" +
                   filter_,
               "echo bob |"));
  ExpectHarmless(
      Filterdb("diff --version-b=ma " + filter_ + " " + filter_ + ".new"));
}

TEST_F(NamesTest, InJson) {
  const Json scan = Filterdb("scan --json " + dir_ / "data").json();
  EXPECT_EQ(scan.at("sstables").at(0).at("sstable"),
            dir_ / "data/ks\nall is well\x1b[2K\xef\xbf\xbd/nb-1-big-Data.db");
}

}  // namespace
}  // namespace cassandra_bloom::testing
