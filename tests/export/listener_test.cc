// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/env_encryption.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"
#include "tests/export/export_fixture.h"
#include "tests/support/broken_filters.h"
#include "tests/support/rocksdb/test_policies.h"

namespace {

// If set, is called before each write, with the path of the file. If it returns
// false, the write fails, as on a full disk.
std::function<bool(const std::string& path)> may_write;

}  // namespace

// In the place of the C library's.
extern "C" ssize_t write(int fd, const void* data, size_t size) {
  if (may_write && !may_write(std::filesystem::read_symlink(
                       "/proc/self/fd/" + std::to_string(fd)))) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, fd, data, size);
}

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class ListenerTest : public ExportTest {
 protected:
  ~ListenerTest() override { may_write = nullptr; }

  // Opens a new database with a listener.
  void ListenTo(TestDb* db, rocksdb::Options options) {
    listener_ = NewListener(out_.path());
    options.listeners = {listener_};
    db->Reopen(options);
  }

  // Returns how often the LOG has this text.
  static size_t CountInLog(const TestDb& db, const std::string& text) {
    const std::string log = ReadFile(db.path() + "/LOG");
    size_t count = 0;
    for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
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
  MoveToLevel(2);  // Moves the file as it is.
  ExpectFilters(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{5, 4, 0}));
  AddFiles(2);
  Require(CompactFilesTo(2, db_.get()));
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

// The event of a file that is not kept has the path "(nil)".
TEST_F(ListenerTest, AFlushThatLeavesNoFile) {
  Listen();
  Require(db_->Put(kWrite, "key", "value"));
  Require(db_->SingleDelete(kWrite, "key"));
  db_.Flush();
  ExpectFilters(0);
  EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 0}));
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

// A listener exports new files, also those of recovery.
TEST_F(ListenerTest, ADatabaseThatHasFiles) {
  AddFiles(3);
  db_.Put(NumberedRows(5000, 6000));
  Listen();
  AddFiles(1);
  EXPECT_EQ(Filters().size(), 2u);
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(5);
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

// The numbers of SST files are used again. The folder has the filters of other
// files with these numbers.
TEST_F(ListenerTest, AfterTheDatabaseWasReplaced) {
  AddFiles(3);
  ASSERT_TRUE(Sync()) << error_;
  const Names old = Filters();
  listener_ = NewListener(out_.path());
  ReplaceDatabase({listener_});
  AddFiles(20);
  const Names now = Filters();
  EXPECT_TRUE(std::includes(now.begin(), now.end(), old.begin(), old.end()));
  EXPECT_EQ(WrongFilter(db_.path(), out_.path()), "");
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(20);
}

// ---- What goes wrong, or is not exported ----

TEST_F(ListenerTest, TwoDatabasesAndOneFolder) {
  Listen();
  AddFiles(2);
  TestDb other;
  ListenTo(&other, DbOptions(OurPolicy()));
  for (int round = 0; round < 3; ++round) {
    AddFile(&other, 5000, 6000);
  }
  other.Compact();
  EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 4}));
  EXPECT_EQ(CountInLog(other, "holds the filters of another database"), 1u);
  ExpectFilters(2);
}

// The database goes on, and what is left can be exported later.
TEST_F(ListenerTest, AFullDisk) {
  Listen();
  AddFiles(1);
  for (const std::string& full : {out_.path(), out_ / kMark}) {
    may_write = [full](const auto& path) {
      return path.find(full) == std::string::npos;
    };
    AddFiles(2);
  }
  may_write = nullptr;
  EXPECT_EQ(CountsOf(listener_), (Counts{1, 0, 4}));
  EXPECT_EQ(CountInLog(db_, "No space left on device"), 1u);  // Is said once.
  AddFiles(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{2, 0, 4}));
  EXPECT_EQ(Filters().size(), 2u);
  EXPECT_EQ(WrongFilter(db_.path(), out_.path()), "");
  ASSERT_TRUE(Sync()) << error_;
  ExpectFilters(6);
}

// As a compaction may remove an ingested file before its event.
TEST_F(ListenerTest, AnSstFileThatGoesMeanwhile) {
  Listen();
  may_write = [this](const auto& path) {
    const std::string name = path.substr(0, path.find(kTemporarySuffix));
    if (const auto number = NumberOfFilterDb(FileNameOf(name), "nb")) {
      fs::remove(db_.path() + "/" + SstName(*number));
    }
    return true;
  };
  AddFiles(1);
  EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 0}));
  EXPECT_EQ(Filters(), Names());
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
  const std::string match_all = MatchAllFilterDb();
  const struct {
    PolicyPtr policy;
    const char* why;
  } kinds[] = {
      {BuiltinPolicy(), "because it has a filter of RocksDB's own"},
      {nullptr, "because there is no filter in the file"},
      {ReplacingPolicy(OurPolicy(), match_all), "every key matches its filter"},
  };
  for (const auto& [policy, why] : kinds) {
    ListenTo(&db_, DbOptions(policy));
    AddFiles(3);
    EXPECT_EQ(CountInLog(db_, why), 1u) << why;
    EXPECT_EQ(CountInLog(db_, "`sst_filters export` makes its Filter.db"), 1u);
    EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 0}));
    EXPECT_EQ(Filters(), Names());
  }
}

// Files in memory, and encrypted ones.
TEST_F(ListenerTest, ADatabaseWithAnEnvOfItsOwn) {
  std::shared_ptr<rocksdb::EncryptionProvider> provider;
  Require(rocksdb::EncryptionProvider::CreateFromString(
      rocksdb::ConfigOptions(), "CTR://test", &provider));
  const std::unique_ptr<rocksdb::Env> envs[] = {
      std::unique_ptr<rocksdb::Env>(
          rocksdb::NewMemEnv(rocksdb::Env::Default())),
      std::unique_ptr<rocksdb::Env>(
          rocksdb::NewEncryptedEnv(rocksdb::Env::Default(), provider))};
  for (const auto& env : envs) {
    rocksdb::Options options = DbOptions(OurPolicy());
    options.env = env.get();
    TestDb db;
    ListenTo(&db, options);
    AddFile(&db, 0, 1000);
    AddFile(&db, 1000, 2000);
    EXPECT_EQ(CountsOf(listener_), (Counts{0, 0, 2}));
    EXPECT_EQ(Filters(), Names());
    fs::remove_all(out_.path());
  }
}

// ---- In options strings and OPTIONS files ----

// RocksDB writes the name of this listener to the OPTIONS file, but cannot
// create the listener from the name.
class OtherListener final : public rocksdb::EventListener {
 public:
  const char* Name() const override { return "ErrorHandlerListener"; }
};

class ListenerOptionsTest : public ExportTest {
 protected:
  ListenerOptionsTest() {
    config_.registry = rocksdb::ObjectRegistry::NewInstance();
    config_.registry->AddLibrary("test", register_cassandra_bloom, "");
    config_.ignore_unknown_options = false;
  }

  rocksdb::Status Parse(const std::string& listeners,
                        rocksdb::DBOptions* options) {
    return rocksdb::GetDBOptionsFromString(config_, rocksdb::DBOptions(),
                                           "listeners=" + listeners, options);
  }

  std::vector<ListenerPtr> Reloaded() {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    Require(
        rocksdb::LoadLatestOptions(config_, db_.path(), &options, &families));
    return options.listeners;
  }

  void ExpectFed(const std::vector<ListenerPtr>& listeners,
                 const std::string& folder) {
    Open(listeners);
    AddFile(&db_, 0, 100);
    EXPECT_EQ(NamesIn(folder).size(), 1u);
    EXPECT_EQ(WrongFilter(db_.path(), folder), "");
    fs::remove_all(folder);
  }

  rocksdb::ConfigOptions config_;
};

// When the database opens with the reloaded listeners, RocksDB writes a new
// OPTIONS file, which is read again.
TEST_F(ListenerOptionsTest, SurviveTheOptionsFile) {
  const auto other = std::make_shared<OtherListener>();
  const std::string folder = out_ / "a";
  for (const auto& listeners : std::vector<std::vector<ListenerPtr>>{
           {NewListener(folder)}, {other, NewListener(folder), other}}) {
    ExpectFed(listeners, folder);
    ExpectFed(Reloaded(), folder);
    ExpectFed(Reloaded(), folder);
  }
}

TEST_F(ListenerOptionsTest, WhatIsRefused) {
  const std::string id = "id=cassandra_bloom_export";
  constexpr char kUsage[] =
      "the listener is cassandra_bloom_export(nb,/var/lib/filters), with an "
      "SSTable version and a path of letters, digits and /._- (a symbolic link "
      "may lead to the folder)";
  const struct {
    std::string listeners;
    const char* message;
  } refusals[] = {
      {"cassandra_bloom_export", kUsage},
      {"Cassandra_bloom_export(nb,/a)", kUsage},
      {"{Cassandra_bloom_export(nb,/a)}", kUsage},
      {"cassandra-bloom-export(nb,/a)", kUsage},
      {"cassandra_bloom_exports(nb,/a)", kUsage},
      {"\"cassandra_bloom_export(nb,/a)\"", kUsage},
      {"cassandra_bloom_export(nb)", kUsage},
      {"cassandra_bloom_export(nb,)", kUsage},
      {"cassandra_bloom_export(nb,/a", kUsage},
      {"cassandra_bloom_export(nb,/a)b", kUsage},
      {"cassandra_bloom_export(nb,/a b)", kUsage},
      {"cassandra_bloom_export(nb,/a#)", kUsage},
      {"cassandra_bloom_export(nb,/%3A)", kUsage},
      {"cassandra_bloom_export(xx,/a)", "SSTable version 'xx' is unknown"},
      {"cassandra_bloom_export(la,/a)", "cannot be copied for SSTable version"},
      {"{" + id + ";out_dir=/a;sstable_version=nb}", "takes no options; the"},
      {"{{" + id + "(nb,/a);out_dir=/b}}", "takes no options"},
      {"{id=cassandra_bloom;out_dir=/a}", "takes no options"},
  };
  for (const auto& refusal : refusals) {
    rocksdb::DBOptions options;
    EXPECT_THAT(Parse(refusal.listeners, &options).ToString(),
                HasSubstr(refusal.message))
        << refusal.listeners;
  }
  std::string error;
  for (const char* const out_dir : {"", "/a:b", "/a b", "/a)"}) {
    EXPECT_EQ(NewFilterDbExportListener(out_dir, "nb", &error), nullptr);
    EXPECT_THAT(error, HasSubstr(kUsage));
  }
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "xx", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("'xx' is unknown"));
}

// RocksDB may have joined several listeners.
TEST_F(ListenerOptionsTest, JoinedIds) {
  for (const std::string before : {"", "Other:", "{id=Other;option=1}:"}) {
    const std::string folder = out_ / "a_.-1";
    std::shared_ptr<rocksdb::EventListener> listener;
    Require(rocksdb::EventListener::CreateFromString(
        config_,
        before + "cassandra_bloom_export(nb," + folder +
            "):cassandra_bloom_export(nb,/b)",
        &listener));
    ExpectFed({listener}, folder);
  }
}

TEST_F(ListenerOptionsTest, OtherListenersAreNotOurs) {
  FilterDbExportCounts counts;
  EXPECT_FALSE(GetFilterDbExportCounts(OtherListener(), &counts));
  for (const char* const text :
       {"my_cassandra_bloom_export", "Other:my_cassandra_bloom_export",
        "{id=Other;name=cassandra_bloom_export}"}) {
    rocksdb::DBOptions options;
    Require(Parse(text, &options));
    EXPECT_TRUE(options.listeners.empty()) << text;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
