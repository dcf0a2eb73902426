// SPDX-License-Identifier: Apache-2.0

// Tests ExportWorker, the background thread of an export listener.

#include "plugin/export/worker.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class WorkerTest : public ExportTest {
 protected:
  // Returns an empty list of SST files for the database with this name.
  static LiveSsts Listing(const std::string& database) {
    LiveSsts listing;
    listing.database = database;
    return listing;
  }

  ExportWorker worker_{std::vector<ExportTarget>{{out_.path(), "nb"}}};
};

// ---- Pending work ----

TEST_F(WorkerTest, AddsNoWorkUntilAListingComes) {
  EXPECT_TRUE(worker_.NeedsListing());
  worker_.AddChanges({}, {"/db/000001.sst"});
  EXPECT_TRUE(worker_.AddDeletion(1));
  EXPECT_FALSE(worker_.AddDeletion(1));
  worker_.Wait();
  EXPECT_FALSE(fs::exists(out_ / kMark));
  worker_.ReplaceListing(Listing("a"));
  EXPECT_FALSE(worker_.NeedsListing());
  worker_.Wait();
  EXPECT_THAT(ReadFile(out_ / kMark), StartsWith("a\n"));
}

// The second list of SST files comes while the work for the first list fails.
// The failure must not drop the second list.
TEST_F(WorkerTest, AListingThatComesDuringWorkThatFails) {
  WriteFile(out_ / kMark, "b\n");
  auto lock = LockFolder();
  worker_.ReplaceListing(Listing("a"));
  // Gives the background thread time to begin work on the first list.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  worker_.RequestListing();
  worker_.ReplaceListing(Listing("b"));
  lock.reset();
  worker_.Wait();
  EXPECT_LE(worker_.counts().failed, 1);
  EXPECT_FALSE(worker_.NeedsListing());
  EXPECT_THAT(ReadFile(out_ / kMark), StartsWith("b\nnb\t"));
}

// A change comes while the work for a list of SST files fails. The worker drops
// the change, because the next list will contain it.
TEST_F(WorkerTest, ChangesThatComeDuringWorkThatFails) {
  WriteFile(out_ / kMark, "b\n");
  auto lock = LockFolder();
  worker_.ReplaceListing(Listing("a"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  worker_.AddDeletion(1);
  lock.reset();
  worker_.Wait();
  EXPECT_EQ(worker_.counts().failed, 1);
  EXPECT_TRUE(worker_.NeedsListing());
}

// When a database closes, the worker must still do the pending work, even if
// the worker needs a new list of SST files.
TEST_F(WorkerTest, PendingWorkIsDoneThoughAListingIsNeeded) {
  worker_.ReplaceListing(Listing("a"));
  worker_.Wait();
  auto lock = LockFolder();
  worker_.AddDeletion(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  WriteFile(out_ / FilterName(2), "");
  worker_.AddDeletion(2);
  worker_.DatabaseIsClosed();
  lock.reset();
  worker_.Wait();
  EXPECT_TRUE(worker_.NeedsListing());
  EXPECT_FALSE(fs::exists(out_ / FilterName(2)));
  EXPECT_EQ(worker_.counts().removed, 1);
}

// ---- The folder ----

TEST_F(WorkerTest, ClosingTakesUntilAllIsDone) {
  Listen();
  AddFiles(5);
  const Names live = Live();
  listener_.reset();
  Open({});
  EXPECT_EQ(Filters(), live);
}

TEST_F(WorkerTest, TheDatabaseDoesNotWait) {
  Listen();
  auto lock = LockFolder();
  AddFiles(3);
  db_.Compact();
  std::string value;
  EXPECT_TRUE(db_->Get(rocksdb::ReadOptions(), NumberedKey(1), &value).ok());
  EXPECT_EQ(Filters(), Names{});
  lock.reset();
  ExpectFollowed();
}

// Closing the database must not wait for the folder's lock. Any process that
// can read the folder can hold the lock.
TEST_F(WorkerTest, ClosingDoesNotWaitForALock) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  auto lock = LockFolder();
  AddFiles(1);
  listener_.reset();
  Open({});  // Would hang if closing waited for the lock.
  EXPECT_EQ(Filters().size(), 1);
  lock.reset();

  Listen();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 3);
}

TEST_F(WorkerTest, AFolderThatCannotBeWrittenTo) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  // A file in place of the folder makes writing fail, even for root.
  fs::rename(out_.path(), out_.path() + ".away");
  WriteFile(out_.path(), "in the way");
  AddFiles(2);
  db_.Compact();
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed > 0; }));
  EXPECT_THAT(
      ReadFile(db_.path() + "/LOG"),
      HasSubstr("cassandra_bloom_export: " + out_.path() + ": is no folder"));
  for (uint32_t i = 0; i < next_; i += 100) {
    std::string value;
    EXPECT_TRUE(db_->Get(rocksdb::ReadOptions(), NumberedKey(i), &value).ok());
  }
  EXPECT_FALSE(Reconcile());
  EXPECT_THAT(error_, HasSubstr("is no folder"));

  fs::remove(out_.path());
  fs::rename(out_.path() + ".away", out_.path());
  AddFiles(1);
  ExpectFollowed();
}

TEST_F(WorkerTest, AFolderThatCannotBeMadeYet) {
  const std::string late = out_ / "late/out";
  listener_ = NewListener(late);
  Open({listener_});
  AddFiles(1);
  ExpectFailed(1, "");
  AddFiles(1);
  ExpectFailed(2, "cassandra_bloom_export: " + late +
                      ": is no folder, and cannot be created: No such file");

  fs::create_directory(out_ / "late");
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return Follows(late, db_); }));
  ExpectFiltersAreTheirs(db_, late);
  EXPECT_EQ(CountsOf(listener_).failed, 2);
}

TEST_F(WorkerTest, SstablesThatComeLater) {
  Listen();
  WriteFile(out_ / "nb-1-big-Data.db", "data");
  AddFiles(1);
  ExpectFailed(1, "holds SSTables of Cassandra, such as nb-1-big-Data");
  EXPECT_EQ(Filters(), Names{"nb-1-big-Data.db"});
  fs::remove(out_ / "nb-1-big-Data.db");
  AddFiles(1);
  ExpectFollowed();
}

TEST_F(WorkerTest, FiltersThatSomebodyRemoves) {
  Listen();
  AddFiles(3);
  ExpectFollowed();
  for (const std::string& name : Filters()) {
    fs::remove(out_ / name);
  }
  AddFiles(1);
  ExpectFollowed();
  fs::remove(OneFilter());
  db_.Compact();  // Removes the SST file of the removed filter.
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

TEST_F(WorkerTest, AFolderOfFiltersThatNoExportRecorded) {
  WriteFile(out_ / "nb-1000000-big-Filter.db", "made by hand");
  const auto before = StateOf(out_.path());
  Listen();
  AddFiles(1);
  ExpectFailed(1,
               "such as nb-1000000-big-Filter.db, and making the "
               "folder follow a database would remove or replace "
               "them; choose another folder, or take this one over "
               "(filterdb export --sync --force)");
  EXPECT_FALSE(Reconcile());
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(TakeOver()) << error_;
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 2);
}

// The folder already has filters of partition keys, not of whole keys.
TEST_F(WorkerTest, AFolderOfOtherContents) {
  AddFiles(1);
  ASSERT_TRUE(Sync(ForPartitionKey("fixed:8", ExportFrom::kKeys))) << error_;
  const auto before = StateOf(out_.path());
  Listen();
  AddFiles(1);
  ExpectFailed(1, "holds filters made with partition_key=fixed:8 from=keys");
  EXPECT_FALSE(Reconcile());
  EXPECT_THAT(error_, HasSubstr("partition_key=fixed:8 from=keys"));
  EXPECT_EQ(StateOf(out_.path()), before);

  EXPECT_TRUE(TakeOver()) << error_;
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 3);
}

// Without .cassandra_bloom_database, the listener does not know to which
// database the filters belong.
TEST_F(WorkerTest, AFolderWithoutItsMark) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  const std::string filter = OneFilter();
  const std::string content = ReadFile(filter);
  fs::remove(out_ / kMark);
  AddFiles(1);
  ExpectFailed(1, "");
  // This filter is complete, but has no keys. TakeOver must replace the filter.
  ASSERT_TRUE(FilterDbBuilder::ForBitsPerKey(10, 0, kNaAndLater, &error_)
                  ->Write(filter, /*overwrite=*/true, &error_));
  const auto before = StateOf(out_.path());
  AddFiles(1);
  ExpectFailed(2, "");
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(TakeOver()) << error_;
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(ReadFile(filter), content);
}

TEST_F(WorkerTest, AFolderThatIsGoneIsMadeAgain) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  fs::remove_all(out_.path());
  AddFiles(1);
  ExpectFailed(1, "");
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
}

// An SST file that cannot be exported must count as one failure.
TEST_F(WorkerTest, AFileThatCannotBeExported) {
  const OddComparator comparator;
  rocksdb::Options odd_options = DbOptions(BuiltinPolicy());
  odd_options.comparator = &comparator;
  Listen();
  rocksdb::ColumnFamilyHandle* const odd =
      AddColumnFamily("odd", odd_options, {{"key", "value"}});
  ExpectFailed(1, "in the order of the comparator 'Odd'");
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).exported == 1; }));
  EXPECT_EQ(CountsOf(listener_).failed, 1);
  Require(db_->DestroyColumnFamilyHandle(odd));
}

TEST_F(WorkerTest, FilesThatAreNotOnThisMachine) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = memory.get();
  listener_ = NewListener(out_.path());
  options.listeners = {listener_};
  TestDb db(options);
  AddFile(&db, 0, 1000);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
}

}  // namespace
}  // namespace cassandra_bloom::testing
