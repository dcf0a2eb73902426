// SPDX-License-Identifier: Apache-2.0

// An export listener updates a folder of Filter.db files whenever the files of
// a running database change.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export_listener.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Names = std::set<std::string>;
using ListenerPtr = std::shared_ptr<rocksdb::EventListener>;

const rocksdb::WriteOptions kWrite;

ListenerPtr NewListener(const std::string& out_dir) {
  std::string error;
  ListenerPtr listener = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

FilterDbExportCounts CountsOf(const ListenerPtr& listener) {
  FilterDbExportCounts counts;
  EXPECT_TRUE(GetFilterDbExportCounts(*listener, &counts));
  return counts;
}

class ExportListenerTest : public ::testing::Test {
 protected:
  ExportListenerTest() : db_(DbOptions(OurPolicy())) {}

  void Listen() {
    rocksdb::Options options = db_.options();
    listener_ = NewListener(out_.path());
    options.listeners = {listener_};
    db_.Reopen(options);
  }

  void AddFiles(int count) {
    for (int i = 0; i < count; ++i) {
      db_.Put(NumberedRows(next_, next_ + 1000));
      db_.Flush();
      next_ += 1000;
    }
  }

  // Expects that the listener has updated the folder, without a reconciliation.
  void ExpectFollowed() {
    EXPECT_TRUE(Eventually([&] { return Follows(out_.path(), db_); }))
        << ::testing::PrintToString(NamesIn(out_.path())) << " and live "
        << ::testing::PrintToString(Live(db_));
    ExpectFiltersAreTheirs(db_, out_.path());
  }

  bool Reconcile() {
    return ReconcileFilterDbExports(db_.get(), out_.path(), "nb", &report_,
                                    &error_);
  }

  // What `filterdb export --sync --force` does.
  void TakeOver() {
    FilterDbExportOptions options;
    options.overwrite = true;
    EXPECT_TRUE(ExportFilterDbs(db_.path(), "", out_.path(), /*sync=*/true,
                                options, &report_, &error_))
        << error_;
  }

  static Names Live(const TestDb& db) { return LiveFilterNames(db); }

  const TempDir out_;
  TestDb db_;
  ListenerPtr listener_;
  uint32_t next_ = 0;
  FilterDbExportReport report_;
  std::string error_;
};

TEST_F(ExportListenerTest, FlushAndCompaction) {
  Listen();
  AddFiles(3);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 3);
  db_.Compact();
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).removed == 3; }));
  EXPECT_EQ(CountsOf(listener_).exported, 4);
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

TEST_F(ExportListenerTest, MovedFilesStay) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::CompactRangeOptions move;
  move.change_level = true;
  move.target_level = 3;
  Require(db_->CompactRange(move, nullptr, nullptr));
  ExpectFollowed();
}

TEST_F(ExportListenerTest, Ingestion) {
  Listen();
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_.options());
  Require(writer.Open(dir / "new.sst"));
  for (const auto& row : NumberedRows(0, 1000)) {
    Require(writer.Put(row.first, row.second));
  }
  Require(writer.Finish());
  Require(db_->IngestExternalFile({dir / "new.sst"},
                                  rocksdb::IngestExternalFileOptions()));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
}

TEST_F(ExportListenerTest, AColumnFamilyThatIsDropped) {
  Listen();
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db_->CreateColumnFamily(db_.options(), "other", &other));
  AddFiles(1);
  for (const auto& row : NumberedRows(0, 1000)) {
    Require(db_->Put(kWrite, other, row.first, row.second));
  }
  Require(db_->Flush(rocksdb::FlushOptions(), other));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 2);
  Require(db_->DropColumnFamily(other));
  Require(db_->DestroyColumnFamilyHandle(other));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
}

// No event announces imported files. Their filters are nevertheless removed
// when the files are.
TEST_F(ExportListenerTest, AnImportThatIsDropped) {
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
  EXPECT_EQ(NamesIn(out_.path()).size(), 2);
  AddFiles(1);
  ExpectFollowed();
  Require(db_->DropColumnFamily(other));
  Require(db_->DestroyColumnFamilyHandle(other));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 2);
}

TEST_F(ExportListenerTest, ARangeThatIsDeleted) {
  Listen();
  AddFiles(3);
  rocksdb::CompactRangeOptions move;  // DeleteFilesInRange skips level 0.
  move.change_level = true;
  move.target_level = 3;
  Require(db_->CompactRange(move, nullptr, nullptr));
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 4);
  Require(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(),
                                      nullptr, nullptr));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
}

TEST_F(ExportListenerTest, SwitchedOnForADatabaseThatHasFiles) {
  AddFiles(3);
  WriteFile(out_ / "notes", "not ours");
  Listen();
  EXPECT_EQ(NamesIn(out_.path()), Names{"notes"});
  fs::remove(out_ / "notes");
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 4);
}

// These filters may be of another database, or made by hand.
TEST_F(ExportListenerTest, AFolderOfFiltersThatNoExportRecorded) {
  WriteFile(out_ / "nb-1000000-big-Filter.db", "made by hand");
  const auto before = StateOf(out_.path());
  Listen();
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("such as nb-1000000-big-Filter.db, and making the "
                        "folder follow a database would remove or replace "
                        "them; choose another folder, or take this one over "
                        "(filterdb export --sync --force)"));
  EXPECT_FALSE(Reconcile());
  EXPECT_EQ(StateOf(out_.path()), before);
  TakeOver();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 2);
}

TEST_F(ExportListenerTest, ReconcileWithoutAnyEvent) {
  AddFiles(3);
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(report_.exported.size(), 3);
  EXPECT_EQ(NamesIn(out_.path()), Live(db_));
  ExpectFiltersAreTheirs(db_, out_.path());
  Listen();
  ASSERT_TRUE(Reconcile()) << error_;
  EXPECT_EQ(report_.kept.size(), 3);
  EXPECT_EQ(report_.exported.size(), 0);
}

// One listener is used for two opens of a database. Between them, files change
// while the database has no listener, so it receives no events.
TEST_F(ExportListenerTest, Reopened) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  rocksdb::Options options = db_.options();
  options.listeners.clear();
  db_.Reopen(options);
  AddFiles(1);
  db_.Compact();
  db_.Put(NumberedRows(next_, next_ + 1000));  // Only in the log.
  options.listeners = {listener_};
  db_.Reopen(options);
  EXPECT_NE(NamesIn(out_.path()), Live(db_));
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 3);
}

TEST_F(ExportListenerTest, ClosingTakesUntilAllIsDone) {
  Listen();
  AddFiles(5);
  const Names live = Live(db_);
  listener_.reset();
  rocksdb::Options options = db_.options();
  options.listeners.clear();
  db_.Reopen(options);
  EXPECT_EQ(NamesIn(out_.path()), live);
}

// While another writer holds the folder's lock, the database continues to read
// and write.
TEST_F(ExportListenerTest, TheDatabaseDoesNotWait) {
  Listen();
  const int folder = open(out_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  AddFiles(3);
  db_.Compact();
  std::string value;
  EXPECT_TRUE(db_->Get(rocksdb::ReadOptions(), NumberedKey(1), &value).ok());
  EXPECT_EQ(NamesIn(out_.path()), Names{});
  close(folder);
  ExpectFollowed();
}

// Closing must not wait for the folder's lock, because any process that can
// read the folder can hold it.
TEST_F(ExportListenerTest, ClosingDoesNotWaitForALock) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  const int folder = open(out_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  AddFiles(1);
  listener_.reset();
  rocksdb::Options options = db_.options();
  options.listeners.clear();
  db_.Reopen(options);  // Would hang if closing waited for the lock.
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
  close(folder);

  Listen();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 3);
}

TEST_F(ExportListenerTest, AFolderThatCannotBeWrittenTo) {
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
  for (uint32_t i = 0; i < next_; i += 100) {
    std::string value;
    EXPECT_TRUE(db_->Get(rocksdb::ReadOptions(), NumberedKey(i), &value).ok());
  }
  EXPECT_FALSE(Reconcile());
  EXPECT_THAT(error_, HasSubstr("is no folder"));
  EXPECT_THAT(
      ReadFile(db_.path() + "/LOG"),
      HasSubstr("cassandra_bloom_export: " + out_.path() + ": is no folder"));

  fs::remove(out_.path());
  fs::rename(out_.path() + ".away", out_.path());
  AddFiles(1);
  ExpectFollowed();
}

// A folder that is mounted late must not prevent a service from opening its
// database.
TEST_F(ExportListenerTest, AFolderThatCannotBeMadeYet) {
  const std::string late = out_ / "late/out";
  rocksdb::Options options = db_.options();
  listener_ = NewListener(late);
  options.listeners = {listener_};
  db_.Reopen(options);
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 2; }));
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("cassandra_bloom_export: " + late +
                        ": is no folder, and cannot be created: No such file"));

  fs::create_directory(out_ / "late");
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return Follows(late, db_); }));
  ExpectFiltersAreTheirs(db_, late);
  EXPECT_EQ(CountsOf(listener_).failed, 2);
}

TEST_F(ExportListenerTest, SstablesThatComeLater) {
  Listen();
  WriteFile(out_ / "nb-1-big-Data.db", "data");
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  EXPECT_EQ(NamesIn(out_.path()), Names{"nb-1-big-Data.db"});
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("holds SSTables of Cassandra, such as nb-1-big-Data"));
  fs::remove(out_ / "nb-1-big-Data.db");
  AddFiles(1);
  ExpectFollowed();
}

TEST_F(ExportListenerTest, FiltersThatSomebodyRemoves) {
  Listen();
  AddFiles(3);
  ExpectFollowed();
  for (const std::string& name : NamesIn(out_.path())) {
    fs::remove(out_ / name);
  }
  AddFiles(1);
  ExpectFollowed();
  fs::remove(out_ / *NamesIn(out_.path()).begin());
  db_.Compact();  // Removes the SST file of the removed filter.
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

// The folder already has filters, of partition keys. The listener must not mix
// filters of whole keys with them.
TEST_F(ExportListenerTest, AFolderOfOtherContents) {
  AddFiles(1);
  FilterDbExportOptions whole;
  whole.partition_key = "fixed:8";
  whole.from = ExportFrom::kKeys;
  ASSERT_TRUE(ExportFilterDbs(db_.path(), "", out_.path(), /*sync=*/true, whole,
                              &report_, &error_))
      << error_;
  const auto before = StateOf(out_.path());
  Listen();
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  EXPECT_THAT(
      ReadFile(db_.path() + "/LOG"),
      HasSubstr("holds filters made with partition_key=fixed:8 from=keys"));
  EXPECT_FALSE(Reconcile());
  EXPECT_THAT(error_, HasSubstr("partition_key=fixed:8 from=keys"));
  EXPECT_EQ(StateOf(out_.path()), before);

  TakeOver();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 3);
}

// Earlier builds wrote "big" in these names, which Cassandra does not read.
TEST_F(ExportListenerTest, FiltersUnderAFormerName) {
  AddFiles(2);
  FilterDbExportOptions da;
  da.sstable_version = "da";
  ASSERT_TRUE(ExportFilterDbs(db_.path(), "", out_.path(), /*sync=*/true, da,
                              &report_, &error_))
      << error_;
  for (std::string name : NamesIn(out_.path())) {
    const std::string path = out_ / name;
    fs::rename(path, out_ / name.replace(name.find("bti"), 3, "big"));
  }
  rocksdb::Options options = db_.options();
  options.listeners = {NewFilterDbExportListener(out_.path(), "da", &error_)};
  ASSERT_NE(options.listeners[0], nullptr) << error_;
  db_.Reopen(options);
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] {
    return NamesIn(out_.path()) == LiveFilterNames(db_, "da");
  })) << ::testing::PrintToString(NamesIn(out_.path()));
  ExpectFiltersAreTheirs(db_, out_.path(), "da");
}

// The mark disappears while the listener runs: the listener no longer knows
// whose filters these are.
TEST_F(ExportListenerTest, AFolderWithoutItsMark) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  const std::string filter = out_ / *NamesIn(out_.path()).begin();
  const std::string content = ReadFile(filter);
  fs::remove(out_ / ".cassandra_bloom_database");
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  // This filter has no keys but looks right, because it is complete and no
  // older than its SST file. It must be replaced when the folder is marked
  // again.
  ASSERT_TRUE(FilterDbBuilder::ForBitsPerKey(10, 0, kNaAndLater, &error_)
                  ->Write(filter, /*overwrite=*/true, &error_));
  const auto before = StateOf(out_.path());
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 2; }));
  EXPECT_EQ(StateOf(out_.path()), before);
  TakeOver();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(ReadFile(filter), content);
}

TEST_F(ExportListenerTest, AFolderThatIsGoneIsMadeAgain) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  fs::remove_all(out_.path());
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 4);
}

// RocksDB sends no event for the compaction of DB::CompactFiles.
TEST_F(ExportListenerTest, CompactFiles) {
  Listen();
  AddFiles(3);
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  Require(db_->CompactFiles(rocksdb::CompactionOptions(),
                            {files[0].name, files[1].name, files[2].name},
                            /*output_level=*/2));
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
}

// The test removes the SST files, so RocksDB cannot delete them later.
TEST_F(ExportListenerTest, FilesThatAreGoneAlready) {
  Listen();
  AddFiles(2);
  ExpectFollowed();
  for (const std::string& name : NamesIn(db_.path())) {
    if (fs::path(name).extension() == ".sst") {
      fs::remove(db_.path() + "/" + name);
    }
  }
  db_.Compact();
  ExpectFollowed();
  EXPECT_EQ(NamesIn(out_.path()).size(), 1);
}

TEST_F(ExportListenerTest, TwoDatabasesAndOneFolder) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::Options options = DbOptions(OurPolicy());
  const ListenerPtr listener = NewListener(out_.path());
  options.listeners = {listener};
  TestDb other(options);
  other.Put(NumberedRows(5000, 6000));
  other.Flush();
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener).failed == 1; }));
  EXPECT_THAT(ReadFile(other.path() + "/LOG"),
              HasSubstr("holds the filters of another database"));
  ExpectFollowed();
}

TEST_F(ExportListenerTest, FilesThatAreNotOnThisMachine) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = memory.get();
  listener_ = NewListener(out_.path());
  options.listeners = {listener_};
  TestDb db(options);
  db.Put(NumberedRows(0, 1000));
  db.Flush();
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
}

// After a change RocksDB writes an OPTIONS file and reads it back; an error in
// reading would make the change fail.
TEST_F(ExportListenerTest, OptionsChangeWhileTheFolderIsGone) {
  rocksdb::ObjectRegistry::Default()->AddLibrary("test",
                                                 register_cassandra_bloom, "");
  rocksdb::Options options = db_.options();
// Later releases fail at an error of the OPTIONS file even without this option.
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 1002
  options.fail_if_options_file_error = true;
#endif
  fs::create_directory(out_ / "gone");
  options.listeners = {NewListener(out_ / "gone/out")};
  db_.Reopen(options);
  fs::remove_all(out_ / "gone");
  EXPECT_TRUE(db_->SetOptions({{"write_buffer_size", "1000000"}}).ok());
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db_->CreateColumnFamily(options, "other", &other));
  Require(db_->DestroyColumnFamilyHandle(other));
}

// The comparator of a database, which is unknown to a reader that opens an SST
// file on its own.
class OddComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "Odd"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// A file that cannot be exported fails once, without a retry of all files.
TEST_F(ExportListenerTest, AFileThatCannotBeExported) {
  const OddComparator comparator;
  rocksdb::Options odd_options = DbOptions(BuiltinPolicy());
  odd_options.comparator = &comparator;
  rocksdb::ColumnFamilyHandle* odd = nullptr;
  Listen();
  Require(db_->CreateColumnFamily(odd_options, "odd", &odd));
  Require(db_->Put(kWrite, odd, "key", "value"));
  Require(db_->Flush(rocksdb::FlushOptions(), odd));
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).exported == 1; }));
  EXPECT_EQ(CountsOf(listener_).failed, 1);
  EXPECT_THAT(ReadFile(db_.path() + "/LOG"),
              HasSubstr("in the order of the comparator 'Odd'"));
  Require(db_->DestroyColumnFamilyHandle(odd));
}

TEST_F(ExportListenerTest, OneDatabaseAListener) {
  Listen();
  AddFiles(1);
  ExpectFollowed();
  rocksdb::Options options = DbOptions(OurPolicy());
  options.listeners = {listener_};
  TestDb other(options);
  other.Put(NumberedRows(0, 1000));
  other.Flush();
  // A flush may return before RocksDB sends its event.
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).failed == 1; }));
  ExpectFollowed();
}

TEST_F(ExportListenerTest, WithEverythingAtOnce) {
  Listen();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint32_t writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&, writer] {
      for (uint32_t i = 0; !stop; ++i) {
        const uint32_t first = (writer * 1000 + i) * 1000;
        db_.Put(NumberedRows(first, first + 500));
        db_.Flush();
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

// ---- Another process, which is killed ----

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

TEST_F(ExportListenerTest, KilledAndOpenedAgain) {
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
    files_seen += NamesIn(out_.path()).size();
    if (round % 2 == 0) {
      ASSERT_TRUE(Reconcile()) << error_;
      EXPECT_EQ(NamesIn(out_.path()), Live(db_));
    } else {
      db_.Put(NumberedRows(0, 10));  // Overlaps, so it gets a file of its own.
      db_.Flush();
    }
    ExpectFollowed();
  }
  EXPECT_GT(files_seen, 12);
}

// ---- Options ----

class ExportListenerOptionsTest : public ::testing::Test {
 protected:
  ExportListenerOptionsTest() {
    config_.registry = rocksdb::ObjectRegistry::NewInstance();
    config_.registry->AddLibrary("test", register_cassandra_bloom, "");
  }

  rocksdb::Status Parse(const std::string& text, rocksdb::DBOptions* options) {
    return rocksdb::GetDBOptionsFromString(config_, rocksdb::DBOptions(), text,
                                           options);
  }

  std::string Text(const std::string& out_dir) const {
    return "listeners={{id=cassandra_bloom_export;out_dir=" + out_dir +
           ";sstable_version=nb}}";
  }

  const TempDir out_;
  rocksdb::ConfigOptions config_;
};

TEST_F(ExportListenerOptionsTest, FromAString) {
  for (const std::string& text :
       {Text(out_.path()), "listeners={id=cassandra_bloom_export;out_dir=" +
                               out_.path() + ";sstable_version=nb}"}) {
    rocksdb::DBOptions options;
    Require(Parse(text, &options));
    ASSERT_EQ(options.listeners.size(), 1) << text;
    FilterDbExportCounts counts;
    EXPECT_TRUE(GetFilterDbExportCounts(*options.listeners[0], &counts));
  }
}

TEST_F(ExportListenerOptionsTest, ThroughAnOptionsFile) {
  const std::string folder = out_ / "with:colon";
  rocksdb::Options options = DbOptions(OurPolicy());
  options.listeners = {NewListener(folder)};
  TestDb db(options);
  db.Put(NumberedRows(0, 1000));
  db.Flush();
  db.Close();
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  config_.ignore_unknown_options = false;
  Require(
      rocksdb::LoadLatestOptions(config_, db.path(), &db_options, &families));
  ASSERT_EQ(db_options.listeners.size(), 1);
  db.Reopen(rocksdb::Options(db_options, families[0].options));
  db.Put(NumberedRows(1000, 2000));
  db.Flush();
  EXPECT_EQ(LiveFilterNames(db).size(), 2);
  EXPECT_TRUE(Eventually([&] { return Follows(folder, db); }));
}

TEST_F(ExportListenerOptionsTest, WhatIsRefused) {
  WriteFile(out_ / "file", "");
  fs::create_directory(out_ / "sstables");
  WriteFile(out_ / "sstables/nb-1-big-Data.db", "data");
  const TestDb db(DbOptions(OurPolicy()));
  const std::string good = out_.path() + "/out";
  struct Refusal {
    std::string listener;
    const char* message;
  };
  const std::string id = "id=cassandra_bloom_export";
  const Refusal refusals[] = {
      {id, "out_dir, the folder to export to, is not given"},
      {"cassandra_bloom_export", "out_dir, the folder to export to, is not"},
      {id + ";sstable_version=nb", "out_dir, the folder to export to, is not"},
      {id + ";out_dir=;sstable_version=nb", "out_dir"},
      {id + ";out_dir=" + good, "sstable_version, such as nb, is not given"},
      {id + ";out_dir=" + good + ";sstable_version=xx", "xx"},
      {id + ";out_dir=" + good + ";sstable_version=na-and-later", "is a form"},
      {id + ";out_dir=" + good + ";version=nb", "has no option 'version'"},
      {id + ";out_dir=" + out_.path() + "/file;sstable_version=nb",
       "is no folder"},
      {id + ";out_dir=" + db.path() + "/out;sstable_version=nb",
       "is in the folder of a database"},
      {id + ";out_dir=" + out_.path() + "/sstables;sstable_version=nb",
       "holds SSTables of Cassandra"},
      {"id=cassandra_bloom_exporter;out_dir=" + good + ";sstable_version=nb",
       "is unknown; the listener is cassandra_bloom_export"},
      {"id=cassandra_bloom;out_dir=" + good + ";sstable_version=nb",
       "is unknown; the listener is cassandra_bloom_export"},
  };
  for (const Refusal& refusal : refusals) {
    for (const std::string& text : {"listeners={" + refusal.listener + "}",
                                    "listeners={{" + refusal.listener + "}}"}) {
      rocksdb::DBOptions options;
      const rocksdb::Status status = Parse(text, &options);
      EXPECT_FALSE(status.ok()) << text;
      EXPECT_THAT(status.ToString(), HasSubstr(refusal.message)) << text;
    }
  }
  EXPECT_FALSE(fs::exists(good));
}

// A process that reads the database's OPTIONS file need not have the listener's
// folder.
TEST_F(ExportListenerOptionsTest, AFolderThatIsNotThereForTheReader) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  fs::create_directory(out_ / "gone");
  options.listeners = {NewListener(out_ / "gone/out")};
  TestDb db(options);
  db.Put(NumberedRows(0, 1000));
  db.Flush();
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "gone/out", db); }));
  db.Close();
  fs::remove_all(out_ / "gone");
  FilterDbExportOptions exporting;
  exporting.prefixes = true;
  FilterDbExportReport report;
  std::string error;
  EXPECT_TRUE(ExportFilterDbs(db.path(), "", out_ / "here", /*sync=*/false,
                              exporting, &report, &error))
      << error << ::testing::PrintToString(report.errors);
}

TEST_F(ExportListenerOptionsTest, AFolderWithAColon) {
  rocksdb::Options options = DbOptions(OurPolicy());
  rocksdb::DBOptions db_options;
  Require(Parse(Text(out_ / "with:colon"), &db_options));
  options.listeners = db_options.listeners;
  TestDb db(options);
  db.Put(NumberedRows(0, 1000));
  db.Flush();
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "with:colon", db); }));
}

TEST_F(ExportListenerOptionsTest, WhatTheFunctionRefuses) {
  std::string error;
  EXPECT_EQ(NewFilterDbExportListener("", "nb", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("is not given"));
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "xx", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("xx"));
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "", &error), nullptr);
  // The function accepts any path.
  EXPECT_NE(NewFilterDbExportListener(out_ / "a:b;c", "nb", &error), nullptr)
      << error;
}

TEST_F(ExportListenerOptionsTest, OtherListenersHaveNoCounts) {
  class Other final : public rocksdb::EventListener {};
  FilterDbExportCounts counts;
  EXPECT_FALSE(GetFilterDbExportCounts(Other(), &counts));
}

}  // namespace
}  // namespace cassandra_bloom::testing
