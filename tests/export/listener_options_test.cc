// SPDX-License-Identifier: Apache-2.0

// The listener in options strings and OPTIONS files.

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

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
