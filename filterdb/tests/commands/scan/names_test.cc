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

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Uses a folder whose name fakes a line of the report, erases text on a
// terminal, and is not UTF-8.
class NamesTest : public ::testing::Test {
 protected:
  NamesTest() { Write(name_, FilterFault::kBitsCleared); }

  void Write(const std::string& folder, FilterFault fault) const {
    SstableSpec spec;
    spec.folder = dir_ / "data/" + folder;
    spec.keys = {"alice", "bob", "carol"};
    spec.fault = fault;
    fs::create_directories(spec.folder);
    WriteSstable(spec);
  }

  static void ExpectHarmless(const Ran& ran) {
    EXPECT_THAT(ran.out + ran.err,
                HasSubstr("ks\\x0aall is well\\x1b[2K\\xff"));
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\nall is well")));
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\x1b")));
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\xff")));
  }

  static std::string FromHex(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i < hex.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
  }

  const TempDir dir_;
  const std::string name_ = "ks\nall is well\x1b[2K\xff";
  const std::string filter_ =
      "'" + dir_ / "data/" + name_ + "/nb-1-big-Filter.db'";
};

TEST_F(NamesTest, InText) {
  const std::string data = dir_ / "data";
  ExpectHarmless(Filterdb("scan " + data));
  ExpectHarmless(Filterdb("mend --dry-run " + data));
  ExpectHarmless(Filterdb("mend --out-dir=" + dir_ / "out " + data));
  ExpectHarmless(Filterdb("mend --in-place " + data));
  ExpectHarmless(Filterdb("mend --undo " + data));
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
  const std::string different = filter_ + ".9";
  ExpectHarmless(
      Filterdb("build --key-format=text --keys=- --bits=10 "
               "--expected-keys=9 --sstable-version=nb --out=" +
                   different,
               "echo carol |"));
  ExpectHarmless(Filterdb("diff --version-b=nb " + filter_ + " " + different));
}

TEST_F(NamesTest, InJson) {
  const std::string folder = dir_ / "data/" + name_;
  const Json scan = Filterdb("scan --json " + dir_ / "data").json();
  EXPECT_EQ(FromHex(scan.at("sstables").at(0).at("sstable_hex")),
            folder + "/nb-1-big-Data.db");
  EXPECT_EQ(FromHex(scan.at("tables").at(0).at("folder_hex")), folder);
  EXPECT_EQ(scan.at("sstables").at(0).at("sstable"),
            dir_ / "data/ks\nall is well\x1b[2K\xef\xbf\xbd/nb-1-big-Data.db");
  const Json mend =
      Filterdb("mend --json --out-dir=" + dir_ / "out " + dir_ / "data").json();
  EXPECT_EQ(FromHex(mend.at("sstables").at(0).at("filter_hex")),
            folder + "/nb-1-big-Filter.db");
  EXPECT_EQ(FromHex(mend.at("sstables").at(0).at("out_hex")),
            dir_ / "out/" + name_ + "/nb-1-big-Filter.db");
  EXPECT_EQ(FromHex(Filterdb("info --json " + filter_).json()[0]["file_hex"]),
            folder + "/nb-1-big-Filter.db");
  fs::remove_all(folder);
  Write("ks", FilterFault::kNone);
  fs::create_symlink("gone", folder);
  const Json errors = Filterdb("scan --json " + dir_ / "data").json()["errors"];
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors.at(0),
              HasSubstr("ks\\x0aall is well\\x1b[2K\\xff: cannot"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
