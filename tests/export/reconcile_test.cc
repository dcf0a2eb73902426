// SPDX-License-Identifier: Apache-2.0

#include "tools/export/reconcile.h"

#include <filesystem>
#include <string>

#include "tests/export/export_fixture.h"
#include "tests/support/file_size_limit.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class ReconcileTest : public ExportTest {
 protected:
  // Makes the folder hold the filters of the files that `list` returns.
  bool SyncList(const ListSsts& list) {
    return Reconcile(*PlanExport({}, &error_), out_.path(), list, &report_,
                     &error_);
  }

  // Returns how many filters the last call has made, kept and removed.
  Counts Done() const {
    return {report_.exported.size(), report_.kept.size(),
            report_.removed.size()};
  }
  Counts Synced(const ExportOptions& options) {
    EXPECT_TRUE(Sync(options)) << error_;
    return Done();
  }
  Counts SyncedTo(const LiveSsts& live) {
    EXPECT_TRUE(SyncList([&] { return live; })) << error_;
    return Done();
  }

  // Expects that the folder is now up to date, after so much work.
  void ExpectSync(size_t exported, size_t kept, size_t removed = 0) {
    EXPECT_EQ(Synced({}), (Counts{exported, kept, removed}));
    EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
  }
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
  const auto size = fs::file_size(out_ / kMark);
  db_.Compact();
  ExpectSync(1, 0, 4);
  EXPECT_LT(fs::file_size(out_ / kMark), size);
  MoveToLevel(4);  // Moves the file as it is.
  ExpectSync(0, 1);
}

TEST_F(ReconcileTest, AfterTheDatabaseWasReplaced) {
  AddFiles(2);
  ExpectSync(2, 0);
  const Names names = Filters();
  const std::string mark = ReadFile(out_ / kMark);
  ReplaceDatabase();
  AddFiles(2);  // Has other rows.
  ExpectSync(2, 0);
  EXPECT_EQ(Filters(), names);
  WriteFile(out_ / kMark, mark);  // Killed before the lines were appended.
  ExpectSync(2, 0);
  ExpectSync(0, 2);
}

TEST_F(ReconcileTest, OtherOptionsMakeAllAnew) {
  AddFiles(2);
  ExpectSync(2, 0);
  ExportOptions sixteen;
  sixteen.from_keys = true;
  sixteen.bits_per_key = 16;
  EXPECT_EQ(Synced(sixteen), (Counts{2, 0, 0}));
  EXPECT_EQ(Synced(sixteen), (Counts{0, 2, 0}));
  EXPECT_EQ(Synced(With(&ExportOptions::overwrite, true)), (Counts{2, 0, 0}));
}

TEST_F(ReconcileTest, ADryRun) {
  const auto dry_run = With(&ExportOptions::dry_run, true);
  AddFiles(2);
  for (const bool has_folder : {false, true}) {
    if (!has_folder) {
      fs::remove(out_.path());
    }
    EXPECT_EQ(Synced(dry_run), (Counts{2, 0, 0}));
    EXPECT_EQ(fs::exists(out_.path()), has_folder);
    fs::create_directory(out_.path());
  }
  ExpectSync(2, 0);
  db_.Compact();
  const auto before = StateOf(out_.path());
  EXPECT_EQ(Synced(dry_run), (Counts{1, 0, 2}));
  EXPECT_EQ(StateOf(out_.path()), before);
}

TEST_F(ReconcileTest, TwoVersionsInOneFolder) {
  AddFiles(2);
  ExpectSync(2, 0);
  const auto trie = With(&ExportOptions::sstable_version, "da");
  EXPECT_EQ(Synced(trie), (Counts{2, 0, 0}));
  EXPECT_EQ(Synced({}), (Counts{0, 2, 0}));
  EXPECT_EQ(Synced(trie), (Counts{0, 2, 0}));
}

// RocksDB may be about to add such a file, and a listener may just have written
// its filter.
TEST_F(ReconcileTest, AFileThatIsThereButNotLive) {
  AddFiles(3);
  ExpectSync(3, 0);
  LiveSsts live = LiveSstsOf(db_.get());
  const uint64_t gone = live.files.begin()->first;
  live.files.erase(gone);
  EXPECT_EQ(SyncedTo(live), (Counts{0, 3, 0}));
  ExpectSync(0, 3);
  // Its filter is not kept if it may be that of another file.
  fs::last_write_time(LiveSstsOf(db_.get()).files.at(gone),
                      fs::file_time_type::min());
  EXPECT_EQ(SyncedTo(live), (Counts{1, 2, 0}));
  ExpectSync(0, 3);
  live.folders.clear();
  EXPECT_EQ(SyncedTo(live), (Counts{0, 2, 1}));
}

// Without a path that is known, the filter is left as it is.
TEST_F(ReconcileTest, AFileOfAnotherColumnFamily) {
  AddFiles(2);
  ExpectSync(2, 0);
  LiveSsts live = LiveSstsOf(db_.get());
  live.others.insert(live.files.extract(live.files.begin()));
  const auto other = live.others.begin()->second;
  live.folders.clear();
  EXPECT_EQ(SyncedTo(live), (Counts{0, 2, 0}));
  live.others.begin()->second += ".unknown";
  EXPECT_EQ(SyncedTo(live), (Counts{0, 1, 0}));
  ExpectSync(0, 2);
  fs::last_write_time(other, fs::file_time_type::min());
  live.others.begin()->second = other;
  EXPECT_EQ(SyncedTo(live), (Counts{1, 1, 0}));
}

// ---- Failures, after which a second call does the rest ----

TEST_F(ReconcileTest, AFullDisk) {
  AddFiles(1);
  AddFile(&db_, 1000, 3000);
  const LiveSsts live = LiveSstsOf(db_.get());
  db_.Close();  // The database's own writes must not fail.
  {
    const FileSizeLimit full(2000);  // In bytes. Enough for one filter.
    EXPECT_FALSE(SyncList([&] { return live; }));
  }
  EXPECT_THAT(error_, HasSubstr("cannot write: File too large"));
  EXPECT_EQ(Done(), (Counts{1, 0, 0}));
  EXPECT_THAT(Filters(), SizeIs(1));
  db_.Reopen();
  ExpectSync(1, 1);
}

// If a changed SST file cannot be exported, its old filter must be removed. A
// filter of other keys would be worse than no filter.
TEST_F(ReconcileTest, AFileThatCannotBeRead) {
  AddFiles(3);
  const LiveSsts live = LiveSstsOf(db_.get());
  ExpectSync(3, 0);
  db_.Close();
  WriteFile(live.files.begin()->second, "no SST file");
  EXPECT_FALSE(SyncList([&] { return live; }));
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  ASSERT_THAT(report_.errors, SizeIs(1));
  EXPECT_THAT(report_.errors[0], HasSubstr("as a block-based SST file"));
  EXPECT_THAT(report_.kept, SizeIs(2));
  EXPECT_THAT(Filters(), SizeIs(2));
}

// No filter is removed then: there may be a folder that was not named.
TEST_F(ReconcileTest, AMissingFileStopsNoOther) {
  AddFiles(3);
  ExpectSync(3, 0);
  LiveSsts live = LiveSstsOf(db_.get());
  live.files.erase(live.files.begin());
  live.files.begin()->second += ".gone";
  live.folders.clear();
  EXPECT_FALSE(SyncList([&] { return live; }));
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  EXPECT_THAT(report_.kept, SizeIs(1));
  EXPECT_THAT(Filters(), SizeIs(3));
  ASSERT_THAT(report_.errors, SizeIs(1));
  EXPECT_THAT(report_.errors[0],
              HasSubstr("missing, as .sst and as .ldb, though the MANIFEST "
                        "names it (only local"));
}

// A file that is gone was perhaps replaced by a compaction.
TEST_F(ReconcileTest, ListsAgainIfAFileIsGone) {
  AddFiles(3);
  const LiveSsts old = LiveSstsOf(db_.get());
  db_.Compact();
  int listings = 0;
  ASSERT_TRUE(SyncList([&] {
    return ++listings == 1 ? old : LiveSstsOf(db_.get());
  })) << error_;
  EXPECT_EQ(listings, 2);
  EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
}

}  // namespace
}  // namespace cassandra_bloom::testing
