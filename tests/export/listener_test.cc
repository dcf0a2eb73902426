// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/listener.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class ListenerTest : public ExportTest {};

// After each step, RocksDB has sent another kind of event.
TEST_F(ListenerTest, EveryEvent) {
  Listen();
  AddFiles(3);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 3);
  IngestFile();
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
  db_.Compact();
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
  EXPECT_TRUE(Eventually([&] { return CountsOf(listener_).removed == 4; }));
  EXPECT_EQ(CountsOf(listener_).exported, 5);
  EXPECT_EQ(CountsOf(listener_).failed, 0);
}

TEST_F(ListenerTest, ARangeThatIsDeleted) {
  Listen();
  AddFiles(3);
  MoveToLevel(3);  // DeleteFilesInRange skips level 0.
  AddFiles(1);
  ExpectFollowed();
  Require(rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(),
                                      nullptr, nullptr));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 1);
}

// RocksDB sends no event at the end of DB::CompactFiles, and when a column
// family is dropped. Here an iterator also keeps RocksDB from deleting the old
// files. So the next event tells.
TEST_F(ListenerTest, WhatSendsNoEvent) {
  Listen();
  AddFiles(3);
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), NumberedRows(0, 1000));
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
  Require(db_->DropColumnFamily(other));
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  const std::unique_ptr<rocksdb::Iterator> iterator(
      db_->NewIterator(rocksdb::ReadOptions()));
  Require(db_->CompactFiles(rocksdb::CompactionOptions(),
                            {files[0].name, files[1].name, files[2].name},
                            /*output_level=*/2));
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 2);
  Require(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(ListenerTest, SwitchedOnForADatabaseThatHasFiles) {
  AddFiles(3);
  Listen();
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 4);
  Open({});
  AddFiles(1);
  db_.Compact();
  Open({listener_});  // The same listener again.
  AddFiles(1);
  ExpectFollowed();
  EXPECT_EQ(Filters().size(), 2);
}

// A program may delete its handle of the default column family at any time.
TEST_F(ListenerTest, AHandleThatIsDeletedEarly) {
  Listen();
  AddFiles(1);
  db_.Close();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  {
    rocksdb::Options options = db_.options();
    OpenedDb opened{};
    Require(rocksdb::DB::Open(options, db_.path(),
                              {{rocksdb::kDefaultColumnFamilyName, options}},
                              &handles, &opened));
    db = Own(std::move(opened));
  }
  for (int i = 0; i < 3; ++i) {
    Require(db->Put(kWrite, "key", "value"));
    Require(db->Flush(rocksdb::FlushOptions()));
    if (i == 1) {
      Require(db->DestroyColumnFamilyHandle(handles[0]));
    }
    EXPECT_TRUE(Eventually(
        [&] { return Filters().size() == 2u + static_cast<size_t>(i); }));
  }
  Require(db->Close());
  db.reset();
  db_.Reopen();
  ExpectFollowed();
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

TEST_F(ListenerTest, OtherListenersHaveNoCounts) {
  class Other final : public rocksdb::EventListener {};
  FilterDbExportCounts counts;
  EXPECT_FALSE(GetFilterDbExportCounts(Other(), &counts));
}

// ---- Options ----

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
    EXPECT_TRUE(Eventually([&] { return Follows(folder, db_); })) << folder;
    fs::remove_all(folder);
  }

  rocksdb::ConfigOptions config_;
};

// When the database opens with the reloaded listeners, RocksDB writes a new
// OPTIONS file, which is read again.
TEST_F(ListenerOptionsTest, SurviveTheOptionsFile) {
  const auto other = std::make_shared<OtherListener>();
  {
    const std::string folder = out_ / "a";
    for (const auto& listeners : std::vector<std::vector<ListenerPtr>>{
             {NewListener(folder)}, {other, NewListener(folder), other}}) {
      ExpectFed(listeners, folder);
      ExpectFed(Reloaded(), folder);
      ExpectFed(Reloaded(), folder);
    }
  }
}

TEST_F(ListenerOptionsTest, WhatIsRefused) {
  const std::string id = "id=cassandra_bloom_export";
  const struct {
    std::string listeners;
    const char* message;
  } refusals[] = {
      {"cassandra_bloom_export", "is unknown; the listener is"},
      {"cassandra_bloom_export(xx,/a)", "SSTable version 'xx' is unknown"},
      {"{" + id + ";out_dir=/a;sstable_version=nb}",
       "takes no options; the listener is cassandra_bloom_export(nb,/var"},
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
  EXPECT_EQ(NewFilterDbExportListener("", "nb", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("has no path of the folder"));
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "xx", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("'xx' is unknown"));
}

TEST_F(ListenerOptionsTest, OtherListenersAreNotOurs) {
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
