// SPDX-License-Identifier: Apache-2.0

// RocksDB writes export listeners to the OPTIONS file and can read them back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/listener.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Listeners = std::vector<std::shared_ptr<rocksdb::EventListener>>;

// A listener like those of db_bench and db_stress: it has a name, so RocksDB
// writes it to the OPTIONS file, but the name is unknown where the file is
// read.
class OtherListener final : public rocksdb::EventListener {
 public:
  const char* Name() const override { return "ErrorHandlerListener"; }
};

class ExportListenerReloadTest : public ::testing::Test {
 protected:
  ExportListenerReloadTest() : db_(DbOptions(OurPolicy())) {
    config_.registry = rocksdb::ObjectRegistry::NewInstance();
    config_.registry->AddLibrary("test", register_cassandra_bloom, "");
    config_.ignore_unknown_options = false;
  }

  std::shared_ptr<rocksdb::EventListener> Ours(const std::string& folder) {
    std::string error;
    auto listener = NewFilterDbExportListener(folder, "nb", &error);
    EXPECT_NE(listener, nullptr) << error;
    return listener;
  }

  void Open(const Listeners& listeners) {
    rocksdb::Options options = db_.options();
    options.listeners = listeners;
    db_.Reopen(options);
  }

  Listeners Reloaded() {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    Require(
        rocksdb::LoadLatestOptions(config_, db_.path(), &options, &families));
    return options.listeners;
  }

  Listeners Parsed(const std::string& listeners) {
    rocksdb::DBOptions options;
    Require(rocksdb::GetDBOptionsFromString(
        config_, rocksdb::DBOptions(), "listeners=" + listeners, &options));
    return options.listeners;
  }

  // Replaces the listeners in the latest OPTIONS file.
  void WriteListeners(const std::string& listeners) {
    Open({Ours(out_ / "written")});
    const std::string path = LatestOptions();
    std::string text = ReadFile(path);
    const size_t begin = text.find("  listeners=");
    ASSERT_NE(begin, std::string::npos);
    text.replace(begin, text.find('\n', begin) - begin,
                 "  listeners=" + listeners);
    WriteFile(path, text);
  }

  std::string LatestOptions() const {
    std::string latest;
    for (const std::string& name : NamesIn(db_.path())) {
      latest = name.rfind("OPTIONS-", 0) == 0 ? name : latest;
    }
    return db_.path() + "/" + latest;
  }

  void ExpectFed(const Listeners& listeners,
                 const std::set<std::string>& folders) {
    Open(listeners);
    AddFile(&db_, 0, 100);
    for (const std::string& folder : folders) {
      EXPECT_TRUE(Eventually([&] { return Follows(folder, db_); })) << folder;
      fs::remove_all(folder);
    }
  }

  // Reloads twice, because RocksDB writes again the listeners that it has read.
  void ExpectSurvives(const Listeners& listeners,
                      const std::set<std::string>& folders) {
    ExpectFed(listeners, folders);
    ExpectFed(Reloaded(), folders);
    ExpectFed(Reloaded(), folders);
  }

  const TempDir out_;
  TestDb db_;
  rocksdb::ConfigOptions config_;
};

TEST_F(ExportListenerReloadTest, Alone) {
  ExpectSurvives({Ours(out_ / "a")}, {out_ / "a"});
}

TEST_F(ExportListenerReloadTest, BesideAnotherListener) {
  const auto other = std::make_shared<OtherListener>();
  ExpectSurvives({Ours(out_ / "a"), other}, {out_ / "a"});
  ExpectSurvives({other, Ours(out_ / "a")}, {out_ / "a"});
  ExpectSurvives({other, Ours(out_ / "a"), other}, {out_ / "a"});
}

TEST_F(ExportListenerReloadTest, TwoFolders) {
  const std::set<std::string> folders = {out_ / "a", out_ / "b"};
  ExpectSurvives({Ours(out_ / "a"), Ours(out_ / "b")}, folders);
  ExpectSurvives(
      {Ours(out_ / "a"), std::make_shared<OtherListener>(), Ours(out_ / "b")},
      folders);
}

// A program may, at each start, add its listener to those that it has read from
// the OPTIONS file. The file must not grow.
TEST_F(ExportListenerReloadTest, OneFolderTwice) {
  for (int i = 0; i < 3; ++i) {
    Open({Ours(out_ / "a"), Ours(out_ / "a")});
    const Listeners listeners = Reloaded();
    ASSERT_FALSE(listeners.empty());
    Open({listeners[0]});
    const std::string text = ReadFile(LatestOptions());
    EXPECT_THAT(text, HasSubstr("listeners={cassandra_bloom_export(nb," +
                                out_ / "a" + ")}\n"));
  }
}

TEST_F(ExportListenerReloadTest, OddFolders) {
  for (const std::string name : {"a:b;c=d,e", "{a", "a}", "a#b", "a\\b\\:c",
                                 "50% %41", " a\t", "\xC3\xA4\n\"b\""}) {
    SCOPED_TRACE(name);
    const std::string folder = out_ / name;
    const auto other = std::make_shared<OtherListener>();
    ExpectSurvives({Ours(folder), other}, {folder});
    // Also reloads the listeners from an options string.
    std::string text;
    rocksdb::DBOptions options;
    options.listeners = {other, Ours(folder)};
    Require(rocksdb::GetStringFromDBOptions(config_, options, &text));
    rocksdb::DBOptions parsed;
    Require(rocksdb::GetDBOptionsFromString(config_, rocksdb::DBOptions(), text,
                                            &parsed));
    ExpectFed(parsed.listeners, {folder});
  }
}

// Spellings that a person may have written.
TEST_F(ExportListenerReloadTest, OtherSpellings) {
  const std::string a = out_ / "a";
  const std::string options =
      "id=cassandra_bloom_export;out_dir=" + a + ";sstable_version=nb";
  const std::string id = "cassandra_bloom_export(nb," + a + ")";
  for (const std::string& text :
       {id, "{" + id + "}", "{" + options + "}", "{{" + options + "}}",
        "{" + id + ":Other}", "{Other:" + id + "}", "{{" + options + "}:Other}",
        "{Other:{" + options + "}}", "{{id=Other;option=1}:" + id + "}"}) {
    SCOPED_TRACE(text);
    ExpectFed(Parsed(text), {a});
    WriteListeners(text);
    ExpectFed(Reloaded(), {a});
  }
  // Bytes that mean nothing to RocksDB need no escape.
  const std::string odd = "cassandra_bloom_export(nb," + out_ / "=a)" + ")";
  ExpectFed(Parsed(odd), {out_ / "=a)"});
  WriteListeners(odd);
  ExpectFed(Reloaded(), {out_ / "=a)"});
}

TEST_F(ExportListenerReloadTest, WhatIsRefused) {
  const std::string good = "cassandra_bloom_export(nb," + out_ / "a";
  struct Refusal {
    std::string listeners;
    const char* message;
  };
  const Refusal refusals[] = {
      {"cassandra_bloom_export(nb)", "is unknown; the listener is"},
      {"cassandra_bloom_export,nb," + out_.path(), "is unknown"},
      {"cassandra_bloom_export:nb", "out_dir, the folder to export to, is not"},
      {"cassandra_bloom_export(nb,)", "out_dir, the folder to export to, is"},
      {"cassandra_bloom_export(," + out_.path() + ")", "sstable_version, such"},
      {"cassandra_bloom_export(xx," + out_.path() + ")", "xx"},
      {"cassandra_bloom_exports(nb," + out_.path() + ")", "is unknown"},
      {"\"" + good + ")\"", "is unknown; the listener is"},
      {good, "has no ')' at its end; in the path write %3A for a colon"},
      {good + ":b)", "has no ')' at its end"},
      {"{" + good + ":b)}", "has no ')' at its end"},
      {good + "%4)", "has a % that is not followed by two"},
      {good + "%x1)", "has a % that is not followed by two"},
      {good + "%)", "has a % that is not followed by two"},
      {"{{id=" + good + ");out_dir=/b}}", "takes no options beside"},
      {"{Other:cassandra_bloom_export(xx," + out_ / "a" + ")}", "xx"},
      {"cassandra_bloom_export(nb," + db_.path() + "/out)",
       "is in the folder of a database"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.listeners);
    rocksdb::DBOptions options;
    const rocksdb::Status status = rocksdb::GetDBOptionsFromString(
        config_, rocksdb::DBOptions(), "listeners=" + refusal.listeners,
        &options);
    EXPECT_THAT(status.ToString(), HasSubstr(refusal.message));
    WriteListeners(refusal.listeners);
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    EXPECT_THAT(
        rocksdb::LoadLatestOptions(config_, db_.path(), &options, &families)
            .ToString(),
        HasSubstr(refusal.message));
  }
}

// No listener in these texts has a name that begins like the export listener's.
TEST_F(ExportListenerReloadTest, OtherListenersAreNotOurs) {
  for (const char* const text :
       {"my_cassandra_bloom_export", "Other:my_cassandra_bloom_export",
        "{id=Other;name=cassandra_bloom_export}"}) {
    EXPECT_TRUE(Parsed(text).empty()) << text;
  }
}

// The folder cannot be created, for example because it is mounted late. The
// database must open nevertheless.
TEST_F(ExportListenerReloadTest, AFolderThatCannotBeMade) {
  fs::create_directory(out_ / "mount");
  Open({Ours(out_ / "mount/out")});
  fs::remove_all(out_ / "mount");
  Open({});  // Makes this process forget the folder, as a new process would.
  WriteListeners("cassandra_bloom_export(nb," + out_ / "never/out" + ")");
  const Listeners listeners = Reloaded();
  ASSERT_EQ(listeners.size(), 1);
  Open(listeners);
  AddFile(&db_, 0, 100);
  FilterDbExportCounts counts;
  EXPECT_TRUE(Eventually([&] {
    return GetFilterDbExportCounts(*listeners[0], &counts) && counts.failed > 0;
  }));
  fs::create_directory(out_ / "never");
  AddFile(&db_, 100, 200);
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "never/out", db_); }));
}

}  // namespace
}  // namespace cassandra_bloom::testing
