// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/scan/scan_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

class FindTest : public ScanFixture {
 protected:
  WrittenSstable Write(const std::string& version, FilterFault fault) {
    SstableSpec spec = SpecOf(version, fault);
    spec.keys = {"alice", "bob", "carol", std::string("\0\1a\0\0\1b\0", 8)};
    return ScanFixture::Write(spec);
  }
  Ran Find(const std::string& options) const {
    return Filterdb("find " + dir_.path() + " " + options);
  }
};

TEST_F(FindTest, AsksTheIndexAndTheFilter) {
  for (const std::string version : {"me", "nb", "da"}) {
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
    std::filesystem::remove_all(dir_ / "ks");
  }
}

TEST_F(FindTest, WhatWasNotSearched) {
  Write("nb", FilterFault::kIndexCut);
  EXPECT_THAT(Exits(3, Find("--key=6461766964")).out,
              HasSubstr("nb-1-big-Data.db: not searched: "));
  const Ran ran = Exits(3, Find("--json --key=61 " + dir_ / "none"));
  EXPECT_EQ(ran.report()["errors"].size(), 1U) << ran;
  EXPECT_EQ(ran.report()["summary"]["not_searched"], 1);
  EXPECT_EQ(ran.report()["summary"]["errors"], 1);
}

TEST_F(FindTest, AFilterThatCannotBeAsked) {
  const WrittenSstable one = Write("nb", FilterFault::kNone);
  std::string filter = ReadFile(one.Path("Filter.db"));
  WriteFile(one.Path("Filter.db"), filter.substr(0, filter.size() - 1));
  EXPECT_THAT(Exits(3, Find("--key=616c696365")).out,
              HasSubstr("nb-1-big-Data.db: yes, the filter cannot be asked: " +
                        one.Path("Filter.db")));
}

// Nodes, and so all commands, read as many words as the header says. What the
// filter alone says is not trusted.
TEST_F(FindTest, BytesBehindTheFilter) {
  const WrittenSstable one = Write("nb", FilterFault::kNone);
  const std::string path = one.Path("Filter.db");
  const std::string filter = ReadFile(path);
  const std::string check =
      "check " + path + " --index=" + one.Path("Index.db");
  WriteFile(path, filter + std::string(1000, 'x'));
  EXPECT_THAT(Exits(0, Find("--key=616c696365")).out, HasSubstr(": yes\n"));
  EXPECT_THAT(Exits(0, Find("--filters-only --key=616c696365")).out,
              HasSubstr("nb-1-big-Data.db: may\n"));
  Exits(0, Filterdb(check));
  const std::string word(8, '\0');
  WriteFile(path, filter.substr(0, 4) + std::string("\0\0\0\1", 4) + word +
                      filter.substr(16));
  EXPECT_THAT(Exits(3, Find("--filters-only --key=616c696365")).out,
              HasSubstr("nb-1-big-Data.db: not searched: too long: "));
  Exits(2, Find("--key=616c696365"));
  Exits(2, Filterdb(check));
}

}  // namespace
}  // namespace cassandra_bloom::testing
