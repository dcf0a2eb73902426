// SPDX-License-Identifier: Apache-2.0

// Tests "filterdb install --undo", alone and after several runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class UndoTest : public MendFixture {
 protected:
  UndoTest()
      : one_(Write(FilterFault::kBitsCleared)),
        filter_(one_.Path("Filter.db")),
        before_(ReadFile(filter_)) {}

  std::string Filter() const { return ReadFile(filter_); }

  // Clears bits. What each `number` leaves differs.
  static void Damage(const std::string& filter, char number = 0) {
    std::string damaged = ReadFile(filter);
    std::fill(damaged.begin() + 8, damaged.end() - 8, '\0');
    damaged[8] = number;
    WriteFile(filter, damaged);
  }

  const WrittenSstable one_;
  const std::string filter_;
  const std::string before_;
};

// The old filter denies keys, so the exit status is that of a harm. A filter is
// the one of a run by its bytes, and not by its time, which a copy does not
// keep.
TEST_F(UndoTest, PutsTheOldFilterBack) {
  const auto files = Files();
  const auto time = fs::last_write_time(filter_);
  Exits(0, MendInPlace());
  const std::string mended = Filter();
  EXPECT_NE(mended, before_);
  EXPECT_THAT(Exits(2, Undo("--dry-run")).out,
              HasSubstr("1 would be put back"));
  EXPECT_EQ(Exits(2, Undo("--dry-run --json")).report()["summary"]["harm"],
            "hides rows");
  EXPECT_EQ(Filter(), mended);
  WriteFile(filter_, mended);
  const Ran undo = Exits(2, Undo());
  EXPECT_THAT(undo.out, HasSubstr("put back: the old filter, which did this: "
                                  "hides rows\n1 put back\n"));
  EXPECT_TRUE(Files() == files);
  EXPECT_EQ(fs::last_write_time(filter_), time);
  EXPECT_EQ(Exits(2, Undo()).out, "nothing to do\n");
  Exits(0, Install());
  EXPECT_EQ(Filter(), mended);
}

// The line that a run prints for its undo works in any folder.
TEST_F(UndoTest, TheLineThatPutsTheOldFiltersBack) {
  const Ran ran = Exits(
      0, Filterdb("mend " + dir_ / "ks" + " --run=\"it's \\$old\" --in-place",
                  "cd " + runs_.path() + ";"));
  const size_t line = ran.out.find("install ");
  ASSERT_NE(line, std::string::npos) << ran;
  Exits(2, FilterdbAsGiven(ran.out.substr(line, ran.out.size() - line - 1)));
  EXPECT_EQ(Filter(), before_);
}

TEST_F(UndoTest, AFilterThatWasMadeWhereThereWasNoneStays) {
  fs::remove(filter_);
  Exits(0, MendInPlace());
  EXPECT_THAT(Exits(0, Undo()).out,
              HasSubstr("unchanged: there was no filter before\n"));
  EXPECT_EQ(Scan().exit_code, 0);
}

// The filter stays the same file.
TEST_F(UndoTest, WhereOnlyTocWasCompleted) {
  fs::remove_all(dir_ / "ks");
  const WrittenSstable one = Write(SpecOf("me"));
  WriteFile(one.Path("Scylla.db"), std::string(4, '\0'));  // No digests.
  const auto toc_size = fs::file_size(one.Path("TOC.txt"));
  LeaveOutOfToc(one);
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &before), 0);
  EXPECT_THAT(Exits(0, MendInPlace()).out, HasSubstr("not in TOC.txt: built"));
  ASSERT_EQ(stat(one.Path("Filter.db").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(fs::file_size(one.Path("TOC.txt")), toc_size);
  EXPECT_THAT(Exits(0, Undo()).out,
              HasSubstr("unchanged: the filter is the old one; TOC.txt and"));
  EXPECT_EQ(Scan().exit_code, 0);
}

TEST_F(UndoTest, WhatHasChangedIsLeft) {
  SstableSpec other;
  other.keys = {"alice", "bob", "carol"};
  const std::vector<std::pair<std::function<void()>, std::string>> cases = {
      {[&] { Damage(filter_); }, "foreign: its filter has changed since"},
      {[&] { fs::remove(filter_); }, "foreign: its filter was removed"},
      {[&] { Write(other); }, "gone: another SSTable has this name now"},
      {[&] { WriteFile(one_.Path("TOC.txt"), ""); }, "left: TOC.txt damaged"},
      {[&] { WriteFile(run() + "/old/1", "0123456789abcdef"); },
       "is not the file that the list of the run names"},
  };
  for (const auto& [change, reason] : cases) {
    SCOPED_TRACE(reason);
    fs::remove_all(dir_ / "ks");
    Write(FilterFault::kBitsCleared);
    NextRun();
    Exits(0, MendInPlace());
    change();
    const auto changed = dir_.Names();
    const std::string now = fs::exists(filter_) ? Filter() : "";
    const Ran ran = Undo();
    EXPECT_NE(ran.exit_code, 0) << ran;
    EXPECT_THAT(ran.out, HasSubstr(reason));
    EXPECT_EQ(dir_.Names(), changed);
    EXPECT_EQ(fs::exists(filter_) ? Filter() : "", now);
  }
}

// ---- Several runs ----

// Mends, changes filters, and undoes runs in a random order. A mend must leave
// no fault. An undo may only put back what it says, and what its run has kept.
TEST_F(UndoTest, RandomRuns) {
  uint64_t random = Seed();
  SCOPED_TRACE(random);
  std::vector<std::string> filters = {filter_};
  for (const std::string generation : {"2", "3"}) {
    filters.push_back(
        Write(FilterFault::kBitsCleared, generation).Path("Filter.db"));
  }
  std::vector<std::string> runs;
  for (int step = 0; step < 30 && !HasFailure(); ++step) {
    SCOPED_TRACE(step);
    const std::string& filter = filters[NextRandom(&random) % filters.size()];
    const uint64_t action = NextRandom(&random) % 4;
    if (action == 0) {
      Damage(filter, static_cast<char>(NextRandom(&random) % 3));
    } else if (action == 1 || runs.empty()) {
      NextRun();
      Exits(0, MendInPlace());
      EXPECT_EQ(Scan().exit_code, 0);
      runs.push_back(run());
    } else {
      const std::string& undone = runs[NextRandom(&random) % runs.size()];
      std::vector<std::string> kept;
      for (const auto& entry : fs::directory_iterator(undone + "/old")) {
        kept.push_back(ReadFile(entry.path()));
      }
      const auto before = Files();
      const Json report = Filterdb("install --json --undo " + undone).report();
      for (const std::string& path : filters) {
        const Json& outcomes = report["sstables"];
        const bool is_back = std::any_of(
            outcomes.begin(), outcomes.end(), [&](const Json& outcome) {
              return outcome["filter"] == path &&
                     outcome["outcome"] == "put back";
            });
        const std::string now = ReadFile(path);
        EXPECT_EQ(now != before.at(path), is_back) << path;
        EXPECT_TRUE(!is_back ||
                    std::find(kept.begin(), kept.end(), now) != kept.end());
      }
    }
  }
}

// Neither an install nor its undo reads a whole Filter.db into memory.
TEST_F(UndoTest, AHugeFilter) {
  const std::string limit = LimitOfMemory(30000);
  constexpr uint64_t kSize = uint64_t{32} << 20;
  fs::resize_file(filter_, kSize);
  Exits(0, MendInPlace("--jobs=1", limit));
  EXPECT_LT(fs::file_size(filter_), kSize);
  Exits(2, Install("--undo", limit));
  EXPECT_EQ(fs::file_size(filter_), kSize);
}

}  // namespace
}  // namespace cassandra_bloom::testing
