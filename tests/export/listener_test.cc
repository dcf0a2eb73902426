// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/env_encryption.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/broken_filters.h"
#include "tests/support/rocksdb/test_policies.h"

namespace {

// If not "", no file whose path has this text can be written.
std::string full_disk;

}  // namespace

// In the place of the C library's.
extern "C" ssize_t write(int fd, const void* data, size_t size) {
  if (!full_disk.empty()) {
    const std::string path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd));
    if (path.find(full_disk) != std::string::npos) {
      errno = ENOSPC;
      return -1;
    }
  }
  return syscall(SYS_write, fd, data, size);
}

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using Counts = std::vector<uint64_t>;

class ListenerTest : public ExportTest {
 protected:
  // Returns how often the LOG has this text.
  size_t CountInLog(const std::string& text) const {
    const std::string log = Log();
    size_t count = 0;
    for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  }

  // Reopens the database with a listener and with this policy.
  void ListenWith(const PolicyPtr& policy) {
    listener_ = NewListener(out_.path());
    rocksdb::Options options = DbOptions(policy);
    options.listeners = {listener_};
    db_.Reopen(options);
  }
};

// ---- What changes the files of a database ----

TEST_F(ListenerTest, FlushIngestionAndCompaction) {
  Listen();
  AddFiles(3);
  ExpectFilters(3);
  IngestFile();
  ExpectFilters(4);
  db_.Compact();
  ExpectFilters(1);
  MoveToLevel(4);  // Moves the file as it is.
  ExpectFilters(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{5, 4, 0}));
}

TEST_F(ListenerTest, CompactFiles) {
  Listen();
  AddFiles(3);
  CompactFiles();
  ExpectFilters(1);
}

TEST_F(ListenerTest, ARangeThatIsDeleted) {
  Listen();
  AddFiles(3);
  MoveToLevel(3);  // DeleteFilesInRange skips level 0.
  AddFiles(1);
  Require(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(),
                                      nullptr, nullptr));
  ExpectFilters(1);
}

// Nothing is left of a file of deletions alone: its event has the path "(nil)".
TEST_F(ListenerTest, ACompactionThatLeavesNoFile) {
  Listen();
  AddFiles(1);
  for (const auto& row : NumberedRows(0, 1000)) {
    Require(db_->Delete(kWrite, row.first));
  }
  db_.Flush();
  ExpectFilters(2);
  db_.Compact();
  ExpectFilters(0);
  EXPECT_EQ(CountsOf(listener_), (Counts{2, 2, 0}));
}

TEST_F(ListenerTest, AColumnFamilyThatIsDropped) {
  Listen();
  AddFiles(1);
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), NumberedRows(0, 1000));
  ExpectFilters(2);
  Require(db_->DropColumnFamily(other));
  Require(db_->DestroyColumnFamilyHandle(other));
  ExpectFilters(1);
}

// The filter goes with the file, not before.
TEST_F(ListenerTest, AnIteratorKeepsFiles) {
  Listen();
  AddFiles(2);
  std::unique_ptr<rocksdb::Iterator> iterator(
      db_->NewIterator(rocksdb::ReadOptions()));
  db_.Compact();
  EXPECT_EQ(Filters().size(), 3u);
  iterator.reset();
  ExpectFilters(1);
}

TEST_F(ListenerTest, Recovery) {
  Listen();
  db_.Put(NumberedRows(0, 1000));
  db_.Reopen();
  ExpectFilters(1);
  db_.Put(NumberedRows(1000, 2000));
  Open({});
  Open({listener_});  // The other process had none.
  EXPECT_EQ(Filters().size(), 1u);
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(2);
}

// Counts what RocksDB does at once.
class SubcompactionCounter final : public rocksdb::EventListener {
 public:
  void OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo&) override {
    most = std::max(most.load(), ++running);
  }
  void OnSubcompactionCompleted(const rocksdb::SubcompactionJobInfo&) override {
    --running;
  }
  std::atomic<int> running{0};
  std::atomic<int> most{0};
};

TEST_F(ListenerTest, Subcompactions) {
  const auto counter = std::make_shared<SubcompactionCounter>();
  listener_ = NewListener(out_.path());
  rocksdb::Options options = db_.options();
  options.listeners = {listener_, counter};
  options.max_subcompactions = 4;
  options.target_file_size_base = 16 << 10;
  db_.Reopen(options);
  for (int round = 0; round < 3; ++round) {
    next_ = 0;
    AddFiles(8);
    db_.Compact();
  }
  EXPECT_GT(counter->most, 1);
  ExpectFilters(LiveSstsOf(db_.get()).files.size());
  EXPECT_EQ(CountsOf(listener_)[2], 0u);
}

TEST_F(ListenerTest, SwitchedOnForADatabaseThatHasFiles) {
  AddFiles(3);
  Listen();
  AddFiles(1);
  EXPECT_EQ(Filters().size(), 1u);
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(4);
}

// The numbers of SST files are used again. The folder has the filters of other
// files with these numbers.
TEST_F(ListenerTest, AfterTheDatabaseWasReplaced) {
  MakeTwoHistories();
  ASSERT_TRUE(Sync()) << error_;
  const Names old = Filters();
  db_.Close();
  fs::remove_all(db_.path());
  listener_ = NewListener(out_.path());
  rocksdb::Options options = db_.options();
  options.listeners = {listener_};
  db_.Reopen(options);
  next_ = 7000;
  AddFiles(20);
  EXPECT_TRUE(std::includes(Filters().begin(), Filters().end(), old.begin(),
                            old.end()));
  EXPECT_EQ(WrongFilter(db_.path(), out_.path()), "");
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(20);
}

// ---- What is not exported ----

TEST_F(ListenerTest, TwoDatabasesAndOneFolder) {
  Listen();
  AddFiles(2);
  rocksdb::Options options = DbOptions(OurPolicy());
  const ListenerPtr listener = NewListener(out_.path());
  options.listeners = {listener};
  TestDb other(options);
  for (int round = 0; round < 3; ++round) {
    AddFile(&other, 5000, 6000);
  }
  CompactAll(other.source()).PermitUncheckedError();
  EXPECT_EQ(CountsOf(listener), (Counts{0, 0, 4}));
  const std::string log = ReadFile(other.path() + "/LOG");
  const size_t said = log.find("holds the filters of another database");
  EXPECT_NE(said, std::string::npos);
  EXPECT_EQ(log.find("holds the filters of another database", said + 1),
            std::string::npos);
  ExpectFilters(2);
}

// The database goes on, and what is left can be exported later.
TEST_F(ListenerTest, AFullDisk) {
  Listen();
  AddFiles(1);
  full_disk = out_.path();
  AddFiles(2);
  full_disk = out_ / kMark;
  AddFiles(2);
  full_disk.clear();
  EXPECT_EQ(CountsOf(listener_), (Counts{1, 0, 4}));
  EXPECT_EQ(CountInLog("No space left on device"), 1u);  // It is said once.
  EXPECT_EQ(Filters().size(), 1u);
  AddFiles(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{2, 0, 4}));
  EXPECT_EQ(WrongFilter(db_.path(), out_.path()), "");
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(6);
}

TEST_F(ListenerTest, AFolderThatGoesAway) {
  Listen();
  AddFiles(1);
  fs::remove_all(out_.path());
  AddFiles(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{2, 0, 0}));
  fs::remove_all(out_.path());
  db_.Compact();
  ExpectFilters(1);
}

TEST_F(ListenerTest, FiltersThatAreNoFilterDb) {
  const struct {
    PolicyPtr policy;
    const char* why;
  } kinds[] = {
      {BuiltinPolicy(), "because it has a filter of RocksDB's own"},
      {nullptr, "because there is no filter in the file"},
      {ReplacingPolicy(OurPolicy(), MatchAllFilterDb()),
       "because every key matches its filter"},
  };
  for (const auto& [policy, why] : kinds) {
    ListenWith(policy);
    AddFiles(3);
    EXPECT_EQ(CountInLog(why), 1u) << why;
    EXPECT_EQ(CountInLog("`sst_filters export` makes its Filter.db"), 1u);
    EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 0}));
    EXPECT_EQ(Filters(), Names());
  }
}

TEST_F(ListenerTest, FilesThatAreNotOnThisMachine) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = memory.get();
  listener_ = NewListener(out_.path());
  options.listeners = {listener_};
  TestDb db(options);
  AddFile(&db, 0, 1000);
  EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 1}));
}

TEST_F(ListenerTest, FilesThatAreEncrypted) {
  std::shared_ptr<rocksdb::EncryptionProvider> provider;
  Require(rocksdb::EncryptionProvider::CreateFromString(
      rocksdb::ConfigOptions(), "CTR://test", &provider));
  const std::unique_ptr<rocksdb::Env> encrypted(
      rocksdb::NewEncryptedEnv(rocksdb::Env::Default(), provider));
  rocksdb::Options options = DbOptions(OurPolicy());
  options.env = encrypted.get();
  listener_ = NewListener(out_.path());
  options.listeners = {listener_};
  TestDb db(options);
  AddFile(&db, 0, 1000);
  AddFile(&db, 1000, 2000);
  EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 2}));
  EXPECT_EQ(Filters(), Names());
}

TEST_F(ListenerTest, OtherListenersHaveNoCounts) {
  class Other final : public rocksdb::EventListener {};
  FilterDbExportCounts counts;
  EXPECT_FALSE(GetFilterDbExportCounts(Other(), &counts));
}

}  // namespace
}  // namespace cassandra_bloom::testing
