// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/worker.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/stackable_db.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// The events of RocksDB are given by hand.
class WorkerTest : public ExportTest {
 protected:
  WorkerTest() { NewWorker(); }

  void NewWorker() {
    worker_ =
        std::make_unique<ExportWorker>(out_.path(), *PlanExport({}, &error_));
  }

  void ExpectUpToDate() {
    worker_->WaitUntilIdle();
    EXPECT_EQ(Filters(), Live());
  }

  std::unique_ptr<ExportWorker> worker_;
};

TEST_F(WorkerTest, OnePassAfterManyEvents) {
  AddFiles(3);
  worker_->OnFilesChanged();  // No database is known yet.
  worker_->WaitUntilIdle();
  EXPECT_EQ(Filters(), Names());
  for (int i = 0; i < 100; ++i) {
    worker_->OnChange(db_.get());
  }
  ExpectUpToDate();
  EXPECT_EQ(worker_->counts().exported, 3u);
  db_.Compact();
  worker_->OnFilesChanged();
  ExpectUpToDate();
  EXPECT_EQ(worker_->counts().removed, 3u);
  EXPECT_EQ(worker_->counts().failed, 0u);
}

TEST_F(WorkerTest, WithoutAnyoneWaiting) {
  AddFiles(1);
  worker_->OnChange(db_.get());
  EXPECT_EQ(Filters(), Names());
  EXPECT_TRUE(Eventually([&] { return Follows(out_.path(), db_); }));
  AddFiles(1);
  // The events do not end, but the work is done nevertheless.
  EXPECT_TRUE(Eventually([&] {
    worker_->OnFilesChanged();
    return Follows(out_.path(), db_);
  }));
}

// A database in which something happens after its first listing.
class ListedDb final : public rocksdb::StackableDB {
 public:
  ListedDb(rocksdb::DB* db, std::function<void(rocksdb::DB*)> then)
      : StackableDB(std::shared_ptr<rocksdb::DB>(db, [](rocksdb::DB*) {})),
        then_(std::move(then)) {}

  void GetLiveFilesMetaData(
      std::vector<rocksdb::LiveFileMetaData>* files) override {
    StackableDB::GetLiveFilesMetaData(files);
    if (const auto then = std::exchange(then_, nullptr)) {
      then(this);
    }
  }

 private:
  std::function<void(rocksdb::DB*)> then_;
};

TEST_F(WorkerTest, AFileThatIsAddedDuringAPass) {
  AddFiles(1);
  ListedDb db(db_.get(), [this](rocksdb::DB* same) {
    AddFiles(1);
    worker_->OnChange(same);
  });
  worker_->OnChange(&db);
  ExpectUpToDate();
  EXPECT_EQ(Filters().size(), 2u);
  worker_.reset();
}

TEST_F(WorkerTest, TheDatabaseCloses) {
  AddFiles(3);
  auto lock = LockFolder();  // So that nothing is exported before the closing.
  worker_->OnChange(db_.get());
  AddFiles(1);
  const Names live = Live();
  worker_->OnDatabaseMayClose();
  db_.Close();
  lock.reset();
  worker_->WaitUntilIdle();
  EXPECT_EQ(Filters(), live);  // By the last listing.
  db_.Reopen();
  AddFiles(1);
  worker_->OnFilesChanged();
  worker_->WaitUntilIdle();
  EXPECT_EQ(Filters(), live);  // No event said which database it is.
  worker_->OnChange(db_.get());
  ExpectUpToDate();
}

TEST_F(WorkerTest, AnotherDatabase) {
  AddFiles(1);
  worker_->OnChange(db_.get());
  ExpectUpToDate();
  TestDb other(DbOptions(OurPolicy()));
  worker_->OnChange(other.get());
  EXPECT_EQ(worker_->counts().failed, 1u);
  ExpectUpToDate();
}

TEST_F(WorkerTest, AFailureIsTriedAgainAtTheNextEvent) {
  AddFiles(1);
  WriteFile(out_ / kMark, "another database\n");
  worker_->OnChange(db_.get());
  worker_->WaitUntilIdle();
  EXPECT_EQ(worker_->counts().failed, 1u);
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("cassandra_bloom_export: " + out_.path() +
                        ": holds the filters of another database"));
  fs::remove(out_ / kMark);
  worker_->OnChange(db_.get());
  ExpectUpToDate();
  EXPECT_EQ(worker_->counts().failed, 1u);
}

// An SST file that cannot be exported counts as one failure.
TEST_F(WorkerTest, AFileThatCannotBeExported) {
  const OddComparator comparator;
  rocksdb::Options odd_options = DbOptions(BuiltinPolicy());
  odd_options.comparator = &comparator;
  rocksdb::ColumnFamilyHandle* const odd =
      AddColumnFamily("odd", odd_options, {{"key", "value"}});
  for (int i = 0; i < 3; ++i) {
    AddFiles(1);
    worker_->OnChange(db_.get());
    worker_->WaitUntilIdle();
  }
  EXPECT_EQ(worker_->counts().exported, 3u);
  EXPECT_EQ(worker_->counts().failed, 1u);
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("in the order of the comparator 'Odd'"));
  Require(db_->DestroyColumnFamilyHandle(odd));
}

TEST_F(WorkerTest, FilesThatAreNotOnThisMachine) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = memory.get();
  TestDb db(options);
  AddFile(&db, 0, 1000);
  worker_->OnChange(db.get());
  worker_->WaitUntilIdle();
  EXPECT_EQ(worker_->counts().failed, 1u);
  worker_->OnDatabaseMayClose();
}

// ---- Closing takes less than 2 s ----

// Local files that RocksDB does not sync, because making 10,000 SST files would
// otherwise take minutes.
class UnsyncedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  UnsyncedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "UnsyncedFileSystem"; }

  rocksdb::IOStatus NewWritableFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSWritableFile>* file,
      rocksdb::IODebugContext* debug) override {
    return Wrap(target()->NewWritableFile(path, options, file, debug), file);
  }
  rocksdb::IOStatus ReopenWritableFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSWritableFile>* file,
      rocksdb::IODebugContext* debug) override {
    return Wrap(target()->ReopenWritableFile(path, options, file, debug), file);
  }

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&,
                           rocksdb::IODebugContext*) override {
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&,
                            rocksdb::IODebugContext*) override {
      return rocksdb::IOStatus::OK();
    }
  };

  static rocksdb::IOStatus Wrap(
      rocksdb::IOStatus status,
      std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (status.ok()) {
      *file = std::make_unique<File>(std::move(*file));
    }
    return status;
  }
};

rocksdb::Options Unsynced() {
  static rocksdb::Env* const env =
      rocksdb::NewCompositeEnv(std::make_shared<UnsyncedFileSystem>())
          .release();
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = env;
  return options;
}

class ClosingTest : public ExportTest {
 protected:
  ClosingTest() : ExportTest(Unsynced()) {}

  // Opens the database with a listener, and flushes, which gives it work. If
  // `until_it_works`, waits for its first filter. Closes the database and
  // destroys the listener. Returns how long that took.
  milliseconds TimeToClose(bool until_it_works) {
    db_.Close();
    std::weak_ptr<rocksdb::EventListener> listener;
    std::unique_ptr<rocksdb::DB> db;
    {
      rocksdb::Options options = db_.options();
      options.listeners = {NewListener(out_.path())};
      listener = options.listeners[0];
      OpenedDb opened{};
      Require(rocksdb::DB::Open(options, db_.path(), &opened));
      db = Own(std::move(opened));
    }
    Require(db->Put(kWrite, "an event", "follows"));
    Require(db->Flush(rocksdb::FlushOptions()));
    if (until_it_works) {
      EXPECT_TRUE(Eventually([&] { return !Filters().empty(); }));
    }
    const auto begin = Clock::now();
    db.reset();
    const auto taken = Clock::now() - begin;
    EXPECT_TRUE(listener.expired());
    db_.Reopen();
    return std::chrono::duration_cast<milliseconds>(taken);
  }

  // Ingests `count` SST files with one key each.
  void IngestFiles(int count) {
    const TempDir dir;
    std::vector<std::string> paths;
    for (int i = 0; i < count; ++i) {
      paths.push_back(dir / std::to_string(i));
      rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_.options());
      Require(writer.Open(paths.back()));
      Require(writer.Put(NumberedKey(static_cast<uint32_t>(i)), "value"));
      Require(writer.Finish());
    }
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    Require(db_->IngestExternalFile(paths, options));
  }
};

// 10,000 files give the same, but making them takes a minute.
TEST_F(ClosingTest, WithThousandsOfFilesToExport) {
  constexpr int kFiles = 2000;
  IngestFiles(kFiles);
  EXPECT_LT(TimeToClose(/*until_it_works=*/true).count(), 2000);
  const size_t done = Filters().size();
  // What was done is not lost.
  ExportOptions dry_run;
  dry_run.dry_run = true;
  ASSERT_TRUE(Sync(dry_run)) << error_;
  EXPECT_GE(report_.kept.size() + 1, done);
  EXPECT_EQ(report_.removed.size(), 0u);
}

TEST_F(ClosingTest, WhileSomebodyElseHoldsTheLock) {
  AddFiles(1);
  const auto lock = LockFolder();
  EXPECT_LT(TimeToClose(/*until_it_works=*/false).count(), 2000);
  EXPECT_EQ(Filters(), Names());
}

TEST_F(ClosingTest, TheRestOfLittleWorkIsDone) {
  AddFiles(3);
  EXPECT_LT(TimeToClose(/*until_it_works=*/false).count(), 2000);
  EXPECT_EQ(Filters(), Live());
}

}  // namespace
}  // namespace cassandra_bloom::testing
