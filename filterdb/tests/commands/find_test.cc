// SPDX-License-Identifier: Apache-2.0

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

class FindTest : public ::testing::Test {
 protected:
  WrittenSstable Write(const std::string& version, FilterFault fault) {
    SstableSpec spec = SpecOf(version, fault);
    spec.folder = dir_.path();
    spec.keys = {"alice", "bob", "carol", std::string("\0\1a\0\0\1b\0", 8)};
    return WriteSstable(spec);
  }
  Ran Find(const std::string& options) const {
    return Filterdb("find " + dir_.path() + " " + options);
  }

  const TempDir dir_;
};

TEST_F(FindTest, AsksTheIndexAndTheFilter) {
  for (const std::string version : {"ka", "me", "nb", "da"}) {
    const WrittenSstable one = Write(version, FilterFault::kNone);
    const std::string data = one.Path("Data.db");
    EXPECT_THAT(Exits(0, Find("--key=0x616c696365")).out,
                HasSubstr(data + ": yes\nkey 616c696365: in 1 of 1 SSTable, "));
    EXPECT_THAT(Exits(0, Find("--key-part=61 --key-part=62")).out,
                HasSubstr(data + ": yes\nkey 0001610000016200: in 1 of 1"));
    EXPECT_THAT(Exits(0, Find("--key=6461766964")).out,
                HasSubstr("key 6461766964: in 0 of 1 SSTable"));
    // Every key passes a saturated filter, and none passes an empty one.
    Write(version, FilterFault::kSaturated);
    EXPECT_THAT(Exits(0, Find("--key=6461766964")).out,
                HasSubstr(data + ": no, the filter says may\n"));
    EXPECT_THAT(Exits(0, Find("--filters-only --key=6461766964")).out,
                HasSubstr(data + ": may\n"));
    std::string filter = ReadFile(one.Path("Filter.db"));
    filter.replace(8, filter.size() - 8, filter.size() - 8, '\0');
    WriteFile(one.Path("Filter.db"), filter);
    EXPECT_THAT(Exits(2, Find("--key=616c696365")).out,
                HasSubstr(data + ": yes, denied by the filter\n"));
    const Json report = Exits(2, Find("--key=616c696365 --json")).report();
    EXPECT_EQ(report["sstables"][0]["found"], "yes, denied by the filter");
    EXPECT_EQ(report["summary"]["found"], 1);
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      std::filesystem::remove(entry.path());
    }
  }
}

TEST_F(FindTest, WhatWasNotSearched) {
  Write("nb", FilterFault::kIndexCut);
  EXPECT_THAT(Exits(3, Find("--key=6461766964")).out,
              HasSubstr("nb-1-big-Data.db: not searched: "));
}

}  // namespace
}  // namespace cassandra_bloom::testing
