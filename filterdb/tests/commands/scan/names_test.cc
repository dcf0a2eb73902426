// SPDX-License-Identifier: Apache-2.0

// Tests how filterdb prints file names, which may have any bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The name of the folder fakes a line of the report, and erases text on a
// terminal. (output_test.cc tests the texts and the JSON.)
TEST(NamesTest, AreHarmless) {
  const TempDir dir;
  SstableSpec spec;
  spec.folder = dir / "ks\nall is well\x1b[2K";
  spec.keys = {"alice", "bob", "carol"};
  spec.fault = FilterFault::kBitsCleared;
  std::filesystem::create_directories(spec.folder);
  const std::string filter = "'" + WriteSstable(spec).Path("Filter.db") + "'";
  for (const Ran& ran :
       {Filterdb("scan " + dir.path()),
        Filterdb("scan --what-if " + dir.path()), Filterdb("info " + filter),
        Filterdb("check --key-format=text --keys=- " + filter, "echo alice |"),
        Filterdb("find --key=616c696365 " + dir.path())}) {
    const std::string text = ran.out + ran.err;
    EXPECT_THAT(text, HasSubstr("ks\\x0aall is well\\x1b[2K"));
    EXPECT_THAT(text, Not(HasSubstr("\nall is well")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
