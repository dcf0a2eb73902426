// SPDX-License-Identifier: Apache-2.0

// Tests "filterdb mend --undo", alone and after several runs.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "filterdb/tests/commands/mend/stop_at_changes.h"
#include "filterdb/tests/fake_sstable/log_record.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class MendUndoTest : public MendFixture {
 protected:
  MendUndoTest()
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

  std::string Kept(const std::string& run) const {
    return run + fs::canonical(filter_).string();
  }

  const WrittenSstable one_;
  const std::string filter_;
  const std::string before_;
};

TEST_F(MendUndoTest, PutsTheOldFilterBack) {
  const auto files = Files();
  const Ran mend = Exits(0, MendWithBackup());
  const std::string mended = Filter();
  EXPECT_NE(mended, before_);
  ASSERT_EQ(Runs().size(), 1U);
  const std::string run = LastRun();
  // Said before the first change, for the case that the run is killed.
  EXPECT_EQ(mend.err, "The old filters are kept in " + run + "\n");
  EXPECT_THAT(mend.out,
              EndsWith("repair these tables (nodetool repair --full):\n  " +
                       dir_ / "ks/t1\nTo put the old filters back: " +
                       "filterdb mend --undo=" + run + "\n"));
  EXPECT_EQ(ReadFile(Kept(run)), before_);

  const Ran dry_run = Exits(1, Undo(run, "--dry-run"));
  EXPECT_THAT(dry_run.out, HasSubstr("1 would be put back"));
  EXPECT_EQ(Filter(), mended);
  // These are no later runs.
  fs::create_directories(dir_ / "old/99991231T235959Z");
  for (const char* const name : {"faults.txt", "99991231T235958Z.tar.gz"}) {
    WriteFile(dir_ / "old/" + name, "");
  }
  const Ran undo = Exits(0, Undo(run));
  EXPECT_THAT(undo.out, HasSubstr("1 put back"));
  EXPECT_THAT(undo.out, ContainsRegex(": put back: denies [0-9]+ "
                                      "keys\n"));
  EXPECT_EQ(Filter(), before_);
  EXPECT_EQ(Exits(0, Undo(run)).out, "nothing to do\n");
  fs::remove_all(dir_ / "old");
  EXPECT_TRUE(Files() == files);
}

// The line that a run prints for its undo works in any folder.
TEST_F(MendUndoTest, TheLineThatPutsTheOldFiltersBack) {
  const std::string out =
      Exits(0, Mend("--backup-dir=\"it's \\$old\"", "cd " + dir_.path() + ";"))
          .out;
  const size_t line = out.find("mend --undo=");
  ASSERT_NE(line, std::string::npos) << out;
  Exits(0, Filterdb(out.substr(line, out.size() - line - 1)));
  EXPECT_EQ(Filter(), before_);
}

// As after a kill of the undo, or of the mend, while the old filter was kept
// and in its place.
TEST_F(MendUndoTest, WhatIsInItsPlaceIsNotPutBack) {
  Exits(0, MendWithBackup());
  const std::string run = LastRun();
  Exits(0, Undo(run));
  WriteFile(Kept(run), before_);
  EXPECT_EQ(Exits(0, Undo(run, "--dry-run")).out, "nothing to do\n");
  EXPECT_TRUE(fs::exists(Kept(run)));
  EXPECT_EQ(Exits(0, Undo(run)).out, "nothing to do\n");
  EXPECT_FALSE(fs::exists(Kept(run)));
}

// A process wants to open the SSTable while its old filter is kept. The filter
// is not replaced, so nothing is kept.
TEST_F(MendUndoTest, AProcessThatOpensTheSstableMeanwhile) {
  bool has_tried = false;
  const int exit_code = StopAtChanges(
      {CASSANDRA_BLOOM_FILTERDB, "mend", "--jobs=1", Backup(), dir_ / "ks"},
      [&] {
        if (!has_tried && !Runs().empty() && fs::exists(Kept(LastRun()))) {
          has_tried = true;
          // Without O_NONBLOCK, this would wait for the end of the lease.
          const std::string data = one_.Path("Data.db");
          EXPECT_LT(open(data.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), 0);
        }
      });
  EXPECT_TRUE(has_tried);
  EXPECT_EQ(exit_code, 1);
  EXPECT_EQ(Filter(), before_);
  EXPECT_TRUE(Runs().empty());
}

TEST_F(MendUndoTest, ARunWithoutWorkMakesNoBackup) {
  Exits(0, Mend("--no-backup"));
  Exits(0, MendWithBackup());
  EXPECT_TRUE(Runs().empty());
}

TEST_F(MendUndoTest, AFilterThatWasMadeWhereThereWasNoneStays) {
  fs::remove(filter_);
  Exits(0, MendWithBackup());
  EXPECT_THAT(Exits(0, Undo(LastRun())).out,
              HasSubstr("\n1 unchanged\n  1: there was no filter before\n"));
  EXPECT_EQ(Scan().exit_code, 0);
}

// ---- What an undo leaves ----

TEST_F(MendUndoTest, WhatHasChangedIsLeft) {
  Exits(0, MendWithBackup());
  const std::string run = LastRun();
  const auto files = Files();
  const std::string kept = ReadFile(Kept(run));
  SstableSpec other;
  other.keys = {"alice", "bob", "carol"};
  const std::vector<std::pair<std::function<void()>, const char*>> cases = {
      {[&] { Damage(filter_); }, "has changed since this run"},
      {[&] { fs::remove(filter_); }, "was removed since it was mended"},
      {[&] { Write(other); }, "another SSTable has this name"},
      {[&] { fs::remove(one_.Path("Data.db")); }, "its SSTable is gone"},
      {[&] { WriteFile(Kept(run), "0123456789abcdef"); },
       "is not the one that the list of the run names"},
      {[&] { WriteFile(one_.Path("TOC.txt"), ""); }, "list the components"},
      {[&] {
         WriteFile(dir_ / "ks/t1/nb_txn_compaction_1.log",
                   LogRecord("REMOVE", one_.prefix, 1, 8));
       },
       "start the node once, then mend"},
      {[&] { fs::rename(dir_ / "ks", dir_ / "moved"); }, "is gone"},
  };
  for (const auto& [change, reason] : cases) {
    SCOPED_TRACE(reason);
    fs::copy(dir_ / "ks", dir_ / "copy", fs::copy_options::recursive);
    change();
    const auto changed = dir_.Names();
    EXPECT_THAT(Exits(1, Undo(run, "--dry-run")).out, HasSubstr("1 left\n"));
    const std::string out = Exits(1, Undo(run)).out;
    // In the line of the filter, and at the end.
    EXPECT_THAT(out, ContainsRegex(std::string("left: .*") + reason));
    EXPECT_THAT(out, ContainsRegex(std::string("\n1 left\n  1: .*") + reason));
    EXPECT_EQ(dir_.Names(), changed);
    fs::remove_all(dir_ / "moved");
    fs::remove_all(dir_ / "ks");
    fs::rename(dir_ / "copy", dir_ / "ks");
    WriteFile(Kept(run), kept);
    EXPECT_TRUE(Files() == files);
  }
  Exits(0, Undo(run));
  EXPECT_EQ(Filter(), before_);
}

TEST_F(MendUndoTest, AFolderThatCannotBeEntered) {
  Exits(0, MendWithBackup());
  fs::rename(dir_ / "ks", dir_ / "moved");
  fs::create_directory_symlink(dir_ / "ks", dir_ / "ks");
  EXPECT_THAT(Exits(2, Undo(LastRun())).out, HasSubstr("symbolic links"));
}

TEST_F(MendUndoTest, ListsThatAreNotUnderstood) {
  Exits(0, MendWithBackup());
  const std::string path = LastRun() + "/list";
  const std::string list = ReadFile(path);
  for (const std::string& damaged :
       {std::string(), std::string("something\n"),
        "filterdb mend 2" + list.substr(list.find('\n')),
        list + "01234567 89abcdef\n"}) {
    WriteFile(path, damaged);
    EXPECT_THAT(Exits(2, Undo(LastRun())).err, HasSubstr(path + ": is "));
  }
  // A killed run may leave the beginning of a line. Its filter was not
  // replaced.
  WriteFile(path, list + list.substr(list.find('\n') + 1, 30));
  Exits(0, Undo(LastRun()));
  EXPECT_EQ(Filter(), before_);
}

// ---- Several runs ----

TEST_F(MendUndoTest, TheLastRunIsUndoneFirst) {
  Exits(0, MendWithBackup());
  const std::string mended = Filter();
  Damage(filter_);
  const std::string damaged = Filter();
  Exits(0, MendWithBackup());
  EXPECT_EQ(Filter(), mended);
  ASSERT_EQ(Runs().size(), 2U);
  const std::string first = Runs().front();
  EXPECT_THAT(Exits(1, Undo(first)).out,
              HasSubstr("undo that one first: " + LastRun()));
  const std::string link = dir_ / "link";
  fs::create_directory_symlink(first, link);
  for (const std::string& run : {link, link + "/", first + "/"}) {
    EXPECT_THAT(Exits(1, Undo(run)).out, HasSubstr("undo that one first: "));
  }
  EXPECT_EQ(Filter(), mended);
  Exits(0, Undo(LastRun()));
  EXPECT_EQ(Filter(), damaged);
  EXPECT_THAT(Exits(1, Undo(first)).out,
              HasSubstr("has changed since this run"));
  EXPECT_EQ(Filter(), damaged);
}

TEST_F(MendUndoTest, UndoneRunsDoNotStandInTheWay) {
  SstableSpec spec;
  spec.expected_keys = 10000;
  spec.fault = FilterFault::kBitsCleared;
  Write(spec);
  const std::string oldest = Filter();
  Exits(0, MendWithBackup());
  const std::string mended = Filter();
  spec.fault = FilterFault::kNone;
  Write(spec);
  Exits(0, MendWithBackup("--oversized"));
  EXPECT_EQ(Filter(), mended);
  Exits(0, Undo(LastRun()));
  WriteFile(filter_, mended);
  Exits(0, Undo(Runs().front()));
  EXPECT_EQ(Filter(), oldest);
}

// Mends, changes filters, and undoes runs in a random order. A mend must leave
// no fault. An undo may only put back what it says, and what its run has kept.
TEST_F(MendUndoTest, RandomRuns) {
  uint64_t random = Seed();
  std::vector<std::string> filters = {filter_};
  for (const std::string generation : {"2", "3"}) {
    filters.push_back(
        Write(FilterFault::kBitsCleared, generation).Path("Filter.db"));
  }
  for (int step = 0; step < 40 && !HasFailure(); ++step) {
    SCOPED_TRACE(step);
    const std::string& filter = filters[NextRandom(&random) % filters.size()];
    const uint64_t action = NextRandom(&random) % 4;
    if (action == 0) {
      Damage(filter, static_cast<char>(NextRandom(&random) % 3));
    } else if (action == 1 || Runs().empty()) {
      Exits(0, MendWithBackup());
      EXPECT_EQ(Scan().exit_code, 0);
    } else {
      const std::string run = Runs()[NextRandom(&random) % Runs().size()];
      auto expected = Files();
      std::map<std::string, std::string> kept;
      for (const std::string& path : filters) {
        const std::string in_run = run + fs::canonical(path).string();
        kept[path] = fs::exists(in_run) ? ReadFile(in_run) : "";
      }
      const Json undone = Undo(run, "--json").json();
      for (const Json& outcome : undone["sstables"]) {
        if (outcome["outcome"] == "put back") {
          expected[outcome["filter"]] = kept[outcome["filter"]];
        }
      }
      for (const std::string& path : filters) {
        EXPECT_EQ(ReadFile(path), expected[path]);
      }
    }
  }
}

// filterdb mend and --undo must not read a whole Filter.db into memory.
TEST_F(MendUndoTest, AHugeFilter) {
#ifdef CASSANDRA_BLOOM_SANITIZED
  const std::string limit;  // The sanitizers need more memory.
#else
  const std::string limit = "ulimit -d 100000;";
#endif
  constexpr uint64_t kSize = uint64_t{200} << 20;
  fs::resize_file(filter_, kSize);
  Exits(0, Mend("--jobs=1 " + Backup(), limit));
  EXPECT_LT(fs::file_size(filter_), kSize);
  Exits(0, Filterdb("mend --undo=" + LastRun(), limit));
  EXPECT_EQ(fs::file_size(filter_), kSize);
}

}  // namespace
}  // namespace cassandra_bloom::testing
