// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/reconcile.h"

#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/file_size_limit.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class ReconcileTest : public ExportTest {
 protected:
  // Calls the function itself, with the files that `list` returns.
  bool ReconcileList(const ListSsts& list, const StopExport& stop = NeverStop) {
    const auto plan = PlanExport({}, &error_);
    return cassandra_bloom::Reconcile(*plan, out_.path(), list, stop,
                                      &unreadable_, &report_, &error_);
  }

  ListSsts ListDb() {
    return [this](LiveSsts* live, std::string*) {
      *live = LiveSstsOf(db_.get());
      return true;
    };
  }

  // Expects that the folder is now up to date, after so much work.
  void ExpectSync(size_t exported, size_t kept, size_t removed = 0) {
    ASSERT_TRUE(Sync()) << error_;
    EXPECT_THAT(report_.exported, SizeIs(exported));
    EXPECT_THAT(report_.kept, SizeIs(kept));
    EXPECT_THAT(report_.removed, SizeIs(removed));
    EXPECT_EQ(Filters(), Live());
    EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
  }

  std::set<std::string> unreadable_;
};

// ---- What is kept, made and removed ----

TEST_F(ReconcileTest, FollowsTheDatabase) {
  ExpectSync(0, 0);
  AddFiles(3);
  ExpectSync(3, 0);
  EXPECT_TRUE(report_.exported[0].from_block);
  AddFiles(1);
  const auto before = StateOf(out_.path());
  ExpectSync(1, 3);
  for (const auto& [path, state] : before) {
    EXPECT_TRUE(path == out_ / kMark || StateOf(out_.path())[path] == state);
  }
  db_.Compact();
  ExpectSync(1, 0, 4);
  MoveToLevel(4);  // Moves the file as it is.
  ExpectSync(0, 1);
  ASSERT_TRUE(Reconcile()) << error_;  // The open database says the same.
  EXPECT_THAT(report_.kept, SizeIs(1));
}

TEST_F(ReconcileTest, AfterTheDatabaseWasReplaced) {
  MakeTwoHistories();
  ExpectSync(2, 0);
  SwapHistories();
  ExpectSync(1, 1);  // Both databases have the first file.
  ExpectSync(0, 2);
  const std::string mark = ReadFile(out_ / kMark);
  SwapHistories();
  ExpectSync(1, 1);
  WriteFile(out_ / kMark, mark);  // Killed before the line was appended.
  ExpectSync(1, 1);
}

// A checkpoint makes hard links, which change the ctime of the SST files.
TEST_F(ReconcileTest, ACheckpointLeavesTheFilters) {
  AddFiles(2);
  ExpectSync(2, 0);
  rocksdb::Checkpoint* checkpoint = nullptr;
  Require(rocksdb::Checkpoint::Create(db_.get(), &checkpoint));
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  const TempDir elsewhere;
  Require(checkpoint->CreateCheckpoint(elsewhere / "checkpoint"));
  ExpectSync(0, 2);
}

TEST_F(ReconcileTest, FiltersThatSomebodyChanged) {
  AddFiles(3);
  ExpectSync(3, 0);
  const Names names = Filters();
  fs::rename(out_ / *names.begin(), out_ / "first");
  fs::rename(out_ / *names.rbegin(), out_ / *names.begin());
  fs::rename(out_ / "first", out_ / *names.rbegin());
  ExpectSync(2, 1);
  fs::remove(out_ / *names.begin());
  ExpectSync(1, 2);
}

TEST_F(ReconcileTest, OtherOptionsMakeAllAnew) {
  AddFiles(2);
  ExpectSync(2, 0);
  ExportOptions sixteen;
  sixteen.from = ExportFrom::kKeys;
  sixteen.bits_per_key = 16;
  ASSERT_TRUE(Sync(sixteen)) << error_;
  EXPECT_THAT(report_.exported, SizeIs(2));
  ASSERT_TRUE(Sync(sixteen)) << error_;
  EXPECT_THAT(report_.kept, SizeIs(2));
  ExportOptions anew;
  anew.overwrite = true;
  ASSERT_TRUE(Sync(anew)) << error_;
  EXPECT_THAT(report_.exported, SizeIs(2));
}

TEST_F(ReconcileTest, ADryRun) {
  AddFiles(2);
  ExpectSync(2, 0);
  db_.Compact();
  const auto before = StateOf(out_.path());
  ExportOptions dry_run;
  dry_run.dry_run = true;
  ASSERT_TRUE(Sync(dry_run)) << error_;
  EXPECT_THAT(report_.exported, SizeIs(1));
  EXPECT_THAT(report_.removed, SizeIs(2));
  EXPECT_EQ(StateOf(out_.path()), before);
  ExpectSync(1, 0, 2);
  ASSERT_TRUE(Sync(dry_run)) << error_;
  EXPECT_THAT(report_.exported, SizeIs(0));
}

TEST_F(ReconcileTest, TwoVersionsInOneFolder) {
  AddFiles(2);
  ExpectSync(2, 0);
  ExportOptions trie;
  trie.sstable_version = "da";
  ASSERT_TRUE(Sync(trie)) << error_;
  EXPECT_THAT(report_.exported, SizeIs(2));
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_THAT(report_.kept, SizeIs(2));
  ASSERT_TRUE(Sync(trie)) << error_;
  EXPECT_THAT(report_.kept, SizeIs(2));
}

// ---- Failures, after which a second call does the rest ----

TEST_F(ReconcileTest, AFullDisk) {
  AddFile(&db_, 1000, 3000);
  AddFiles(1);  // Is listed first, as the newest file of level 0.
  const LiveSsts live = LiveSstsOf(db_.get());
  db_.Close();  // The database's own writes must not fail.
  {
    const FileSizeLimit full(2000);  // In bytes. Enough for one filter.
    EXPECT_FALSE(ReconcileList([&](LiveSsts* listed, std::string*) {
      *listed = live;
      return true;
    }));
  }
  EXPECT_THAT(error_, HasSubstr("cannot write: File too large"));
  EXPECT_THAT(report_.exported, SizeIs(1));
  EXPECT_THAT(Filters(), SizeIs(1));
  db_.Reopen();
  ExpectSync(1, 1);
}

// If a changed SST file cannot be exported, its old filter must be removed. A
// filter of other keys would be worse than no filter.
TEST_F(ReconcileTest, AFileThatCannotBeRead) {
  AddFiles(3);
  LiveSsts live = LiveSstsOf(db_.get());
  ExpectSync(3, 0);
  db_.Close();
  WriteFile(live.files[0].path, "no SST file");
  live.files[0].identity = "another";
  int listings = 0;
  const auto list = [&](LiveSsts* listed, std::string*) {
    ++listings;
    *listed = live;
    return true;
  };
  EXPECT_FALSE(ReconcileList(list));
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  ASSERT_THAT(report_.errors, SizeIs(1));
  EXPECT_THAT(report_.errors[0], HasSubstr("as a block-based SST file"));
  EXPECT_THAT(report_.kept, SizeIs(2));
  EXPECT_THAT(Filters(), SizeIs(2));
  EXPECT_EQ(listings, 1);
  // The same caller does not try it again. It is told so without a message.
  error_.clear();
  EXPECT_FALSE(ReconcileList(list));
  EXPECT_EQ(error_, "");
  EXPECT_THAT(report_.errors, SizeIs(0));
}

TEST_F(ReconcileTest, AMissingFileStopsNoOther) {
  AddFiles(3);
  LiveSsts live = LiveSstsOf(db_.get());
  live.files[0].path += ".gone";
  EXPECT_FALSE(ReconcileList([&](LiveSsts* listed, std::string*) {
    *listed = live;
    return true;
  }));
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  EXPECT_THAT(report_.exported, SizeIs(2));
  ASSERT_THAT(report_.errors, SizeIs(1));
  EXPECT_THAT(report_.errors[0],
              HasSubstr("missing, though the MANIFEST names it (only local"));
}

// A file that is gone was perhaps replaced by a compaction.
TEST_F(ReconcileTest, ListsAgainIfAFileIsGone) {
  AddFiles(3);
  const LiveSsts old = LiveSstsOf(db_.get());
  db_.Compact();
  int listings = 0;
  const auto list = [&](LiveSsts* live, std::string*) {
    *live = ++listings == 1 ? old : LiveSstsOf(db_.get());
    return true;
  };
  ASSERT_TRUE(ReconcileList(list)) << error_;
  EXPECT_EQ(listings, 2);
  EXPECT_EQ(Filters(), Live());
  // Without a newer listing, it is no error, but not the end either.
  listings = 0;
  error_.clear();
  EXPECT_FALSE(ReconcileList([&](LiveSsts* live, std::string*) {
    *live = old;
    return ++listings == 1;
  }));
  EXPECT_EQ(error_, "");
  EXPECT_THAT(report_.errors, SizeIs(0));
}

TEST_F(ReconcileTest, StopsAnywhereAndGoesOn) {
  AddFiles(5);
  bool done = false;
  size_t calls = 0;
  for (int last = 1; !done; ++last) {
    int asked = 0;
    done = ReconcileList(ListDb(), [&] { return ++asked == last; });
    ++calls;
    EXPECT_EQ(error_, "");
    for (const std::string& name : Filters()) {
      EXPECT_THAT(name, ::testing::EndsWith("-Filter.db"));
    }
  }
  EXPECT_GT(calls, 5u);
  ExpectSync(0, 5);
}

TEST_F(ReconcileTest, Refusals) {
  for (const char* const version : {"na-and-later", "../nb"}) {
    EXPECT_FALSE(ReconcileFilterDbExports(db_.get(), out_.path(), version,
                                          &report_, &error_));
    EXPECT_THAT(error_, HasSubstr(version));
  }
  EXPECT_FALSE(
      ReconcileFilterDbExports(db_.get(), "", "nb", &report_, &error_));
  EXPECT_THAT(error_, HasSubstr("has no name"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
