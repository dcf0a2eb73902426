// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/checkpoint.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class ListenerTest : public ExportTest {};

TEST_F(ListenerTest, FlushAndCompaction) {
  Listen();
  AddFiles(3);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 3);
  db_.Compact();
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).removed == 3; }));
  EXPECT_EQ(CountsOf(listener_).exported, 4);
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

TEST_F(ListenerTest, MovedFilesStay) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  MoveToLevel(3);
  ExpectFollowed();
}

TEST_F(ListenerTest, Ingestion) {
  Listen();
  IngestFile();
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

TEST_F(ListenerTest, AColumnFamilyThatIsDropped) {
  Listen();
  AddFiles(1);
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), NumberedRows(0, 1000));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 2);
  Require(db_->DropColumnFamily(other));
  Require(db_->DestroyColumnFamilyHandle(other));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

// RocksDB sends no event for imported files. When these files are removed,
// their filters must be removed, too.
TEST_F(ListenerTest, AnImportThatIsDropped) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::Checkpoint* made = nullptr;
  Require(rocksdb::Checkpoint::Create(db_.get(), &made));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const TempDir dir;
  rocksdb::ExportImportFilesMetaData* exported = nullptr;
  Require(checkpoint->ExportColumnFamily(db_->DefaultColumnFamily(),
                                         dir / "files", &exported));
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(exported);
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db_->CreateColumnFamilyWithImport(
      db_.options(), "other", rocksdb::ImportColumnFamilyOptions(), *files,
      &other));
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(Filters().size(), 2);
  AddFiles(1);
  ExpectFollowed();
  Require(db_->DropColumnFamily(other));
  Require(db_->DestroyColumnFamilyHandle(other));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 2);
}

TEST_F(ListenerTest, ARangeThatIsDeleted) {
  Listen();
  AddFiles(3);
  MoveToLevel(3);  // DeleteFilesInRange skips level 0.
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
  Require(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(),
                                      nullptr, nullptr));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

TEST_F(ListenerTest, SwitchedOnForADatabaseThatHasFiles) {
  AddFiles(3);
  WriteFile(out_ / "notes", "not ours");
  Listen();
  EXPECT_EQ(Filters(), Names{"notes"});
  fs::remove(out_ / "notes");
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
}

TEST_F(ListenerTest, ReconcileWithoutAnyEvent) {
  AddFiles(3);
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(report_.exported.size(), 3);
  EXPECT_EQ(Filters(), Live());
  ExpectFiltersAreTheirs(db_, out_.path());
  Listen();
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(report_.kept.size(), 3);
  EXPECT_EQ(report_.exported.size(), 0);
}

// The database changes while it is open without the listener. At the next
// event, the listener must update the whole folder.
TEST_F(ListenerTest, Reopened) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  Open({});
  AddFiles(1);
  db_.Compact();
  db_.Put(NumberedRows(next_, next_ + 1000));  // No flush follows.
  Open({listener_});
  EXPECT_NE(Filters(), Live());
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 3);
}

// RocksDB sends no event at the end of DB::CompactFiles. The listener must find
// the new file when RocksDB deletes an old one.
TEST_F(ListenerTest, CompactFiles) {
  Listen();
  AddFiles(3);
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  Require(db_->CompactFiles(rocksdb::CompactionOptions(),
                            {files[0].name, files[1].name, files[2].name},
                            /*output_level=*/2));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

TEST_F(ListenerTest, FilesThatAreGoneAlready) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  RemoveSstFiles(2);
  db_.Compact();
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

TEST_F(ListenerTest, TwoDatabasesAndOneFolder) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::Options options = DbOptions(OurPolicy());
  const ListenerPtr listener = NewListener(out_.path());
  options.listeners = {listener};
  TestDb other(options);
  AddFile(&other, 5000, 6000);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener).failed == 1; }));
  EXPECT_THAT(ReadFile(other.path() + "/LOG"),
              HasSubstr("holds the filters of another database"));
  ExpectFollowed();
}

TEST_F(ListenerTest, OneDatabaseAListener) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::Options options = DbOptions(OurPolicy());
  options.listeners = {listener_};
  TestDb other(options);
  AddFile(&other, 0, 1000);
  // Waits, because a flush may return before RocksDB sends the event.
  ExpectFailed(1, "");
  ExpectFollowed();
}

TEST_F(ListenerTest, WithEverythingAtOnce) {
  Listen();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint32_t writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&, writer] {
      for (uint32_t i = 0; !stop; ++i) {
        const uint32_t first = (writer * 1000 + i) * 1000;
        AddFile(&db_, first, first + 500);
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      db_.Compact();
    }
  });
  threads.emplace_back([&] {
    while (!stop) {
      FilterDbExportReport report;
      std::string error;
      EXPECT_TRUE(ExportFilterDbs(db_.path(), "", out_.path(), /*sync=*/true,
                                  {}, &report, &error))
          << error << ::testing::PrintToString(report.errors);
    }
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(Reconcile()) << error_;
  }
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  ExpectFollowed();
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

TEST_F(ListenerTest, OtherListenersHaveNoCounts) {
  class Other final : public rocksdb::EventListener {};
  FilterDbExportCounts counts;
  EXPECT_FALSE(GetFilterDbExportCounts(Other(), &counts));
}

// ---- A writing process that is killed ----

class Writer {
 public:
  Writer(const std::string& db, const std::string& out_dir, uint32_t seed) {
    std::string texts[] = {CASSANDRA_BLOOM_LISTENER_WRITER, db, out_dir,
                           std::to_string(seed)};
    char* const arguments[] = {texts[0].data(), texts[1].data(),
                               texts[2].data(), texts[3].data(), nullptr};
    EXPECT_EQ(
        posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments, environ),
        0);
  }

  // Returns true if the process was still running.
  bool Kill() {
    kill(pid_, SIGKILL);
    int status = 0;
    return waitpid(pid_, &status, 0) == pid_ && WIFSIGNALED(status);
  }

 private:
  pid_t pid_ = 0;
};

TEST_F(ListenerTest, KilledAndOpenedAgain) {
  Listen();
  const rocksdb::Options options = db_.options();
  uint64_t random = Seed();
  uint64_t files_seen = 0;
  for (int round = 0; round < 12; ++round) {
    db_.Close();
    Writer writer(db_.path(), out_.path(),
                  static_cast<uint32_t>(NextRandom(&random)));
    std::this_thread::sleep_for(
        std::chrono::milliseconds(100 + NextRandom(&random) % 400));
    ASSERT_TRUE(writer.Kill());
    db_.Reopen(options);
    files_seen += Filters().size();
    if (round % 2 == 0) {
      ASSERT_TRUE(Reconcile()) << error_;
      EXPECT_EQ(Filters(), Live());
    } else {
      db_.Put(NumberedRows(0, 10));  // Makes RocksDB send an event.
      db_.Flush();
    }
    ExpectFollowed();
  }
  EXPECT_GT(files_seen, 12);
}

}  // namespace
}  // namespace cassandra_bloom::testing
