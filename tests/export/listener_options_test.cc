// SPDX-License-Identifier: Apache-2.0

// RocksDB must be able to read, write and reload the options of a listener.

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using Listeners = std::vector<ListenerPtr>;

// A listener like those of db_bench and db_stress. RocksDB writes the name of
// this listener to the OPTIONS file, but cannot create the listener from the
// name.
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
  rocksdb::Status Reload(rocksdb::DBOptions* options) {
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    return rocksdb::LoadLatestOptions(config_, db_.path(), options, &families);
  }

  Listeners Parsed(const std::string& listeners) {
    rocksdb::DBOptions options;
    Require(Parse(listeners, &options));
    return options.listeners;
  }
  Listeners Reloaded() {
    rocksdb::DBOptions options;
    Require(Reload(&options));
    return options.listeners;
  }

  void WriteListeners(const std::string& listeners) {
    Open({NewListener(out_ / "written")});
    testing::WriteListeners(db_, listeners);
  }

  void ExpectFed(const Listeners& listeners, const Names& folders) {
    Open(listeners);
    AddFile(&db_, 0, 100);
    for (const std::string& folder : folders) {
      EXPECT_TRUE(Eventually([&] { return Follows(folder, db_); })) << folder;
      fs::remove_all(folder);
    }
  }

  // Reloads the listeners twice. When the database opens with the reloaded
  // listeners, RocksDB writes a new OPTIONS file. The second reload reads this
  // file.
  void ExpectSurvives(const Listeners& listeners, const Names& folders) {
    ExpectFed(listeners, folders);
    ExpectFed(Reloaded(), folders);
    ExpectFed(Reloaded(), folders);
  }

  rocksdb::ConfigOptions config_;
};

TEST_F(ListenerOptionsTest, Alone) {
  ExpectSurvives({NewListener(out_ / "a")}, {out_ / "a"});
  ExpectSurvives({NewListener(out_ / "a:b")}, {out_ / "a:b"});
}

TEST_F(ListenerOptionsTest, BesideAnotherListener) {
  const auto other = std::make_shared<OtherListener>();
  ExpectSurvives({NewListener(out_ / "a"), other}, {out_ / "a"});
  ExpectSurvives({other, NewListener(out_ / "a")}, {out_ / "a"});
  ExpectSurvives({other, NewListener(out_ / "a"), other}, {out_ / "a"});
}

TEST_F(ListenerOptionsTest, TwoFolders) {
  const Names folders = {out_ / "a", out_ / "b"};
  ExpectSurvives({NewListener(out_ / "a"), NewListener(out_ / "b")}, folders);
  ExpectSurvives({NewListener(out_ / "a"), std::make_shared<OtherListener>(),
                  NewListener(out_ / "b")},
                 folders);
}

// A program may add its listener at each start, although the OPTIONS file
// already has the listener. The OPTIONS file must name the listener only once.
TEST_F(ListenerOptionsTest, OneFolderTwice) {
  for (int i = 0; i < 3; ++i) {
    Open({NewListener(out_ / "a"), NewListener(out_ / "a")});
    const Listeners listeners = Reloaded();
    ASSERT_FALSE(listeners.empty());
    Open({listeners[0]});
    const std::string text = ReadFile(NewestOptionsOf(db_));
    EXPECT_THAT(text, HasSubstr("listeners={cassandra_bloom_export(nb," +
                                out_ / "a" + ")}\n"));
  }
}

TEST_F(ListenerOptionsTest, OddFolders) {
  for (const std::string name : {"a:b;c=d,e", "{a", "a}", "a#b", "a\\b\\:c",
                                 "50% %41", " a\t", "\xC3\xA4\n\"b\""}) {
    SCOPED_TRACE(name);
    const std::string folder = out_ / name;
    const auto other = std::make_shared<OtherListener>();
    ExpectSurvives({NewListener(folder), other}, {folder});
    std::string text;
    rocksdb::DBOptions options;
    options.listeners = {other, NewListener(folder)};
    Require(rocksdb::GetStringFromDBOptions(config_, options, &text));
    rocksdb::DBOptions parsed;
    Require(rocksdb::GetDBOptionsFromString(config_, rocksdb::DBOptions(), text,
                                            &parsed));
    ExpectFed(parsed.listeners, {folder});
  }
}

// A person may write the same listener in these other ways.
TEST_F(ListenerOptionsTest, OtherSpellings) {
  const std::string a = out_ / "a";
  const std::string options =
      "id=cassandra_bloom_export;out_dir=" + a + ";sstable_version=nb";
  const std::string id = "cassandra_bloom_export(nb," + a + ")";
  for (const std::string& text :
       {id, "{" + id + "}", "{" + options + "}", "{{" + options + "}}",
        "{" + id + ":Other}", "{Other:" + id + "}", "{{" + options + "}:Other}",
        "{Other:{" + options + "}}", "{{id=Other;option=1}:" + id + "}"}) {
    SCOPED_TRACE(text);
    ASSERT_EQ(Parsed(text).size(), 1);
    ExpectFed(Parsed(text), {a});
    WriteListeners(text);
    ExpectFed(Reloaded(), {a});
  }
  // In double braces, a path may contain a colon.
  ExpectFed(Parsed("{{id=cassandra_bloom_export;out_dir=" + out_ / "a:b" +
                   ";sstable_version=nb}}"),
            {out_ / "a:b"});
  // `=` and `)` need no escape inside a path.
  const std::string odd = "cassandra_bloom_export(nb," + out_ / "=a)" + ")";
  ExpectFed(Parsed(odd), {out_ / "=a)"});
  WriteListeners(odd);
  ExpectFed(Reloaded(), {out_ / "=a)"});
}

struct RefusedOptions {
  std::string listeners;
  const char* message;
};

TEST_F(ListenerOptionsTest, IdsThatAreRefused) {
  const std::string good = "cassandra_bloom_export(nb," + out_ / "a";
  const RefusedOptions refusals[] = {
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
  for (const RefusedOptions& refusal : refusals) {
    SCOPED_TRACE(refusal.listeners);
    rocksdb::DBOptions options;
    EXPECT_THAT(Parse(refusal.listeners, &options).ToString(),
                HasSubstr(refusal.message));
    WriteListeners(refusal.listeners);
    EXPECT_THAT(Reload(&options).ToString(), HasSubstr(refusal.message));
  }
}

TEST_F(ListenerOptionsTest, OptionsThatAreRefused) {
  WriteFile(out_ / "file", "");
  fs::create_directory(out_ / "sstables");
  WriteFile(out_ / "sstables/nb-1-big-Data.db", "data");
  const std::string folder = out_ / "out";
  const std::string id = "id=cassandra_bloom_export";
  const RefusedOptions refusals[] = {
      {id, "out_dir, the folder to export to, is not given"},
      {"cassandra_bloom_export", "out_dir, the folder to export to, is not"},
      {id + ";sstable_version=nb", "out_dir, the folder to export to, is not"},
      {id + ";out_dir=;sstable_version=nb", "out_dir"},
      {id + ";out_dir=" + folder, "sstable_version, such as nb, is not given"},
      {id + ";out_dir=" + folder + ";sstable_version=xx", "xx"},
      {id + ";out_dir=" + folder + ";sstable_version=na-and-later",
       "is a form"},
      {id + ";out_dir=" + folder + ";version=nb", "has no option 'version'"},
      {id + ";out_dir=" + out_.path() + "/file;sstable_version=nb",
       "is no folder"},
      {id + ";out_dir=" + db_.path() + "/out;sstable_version=nb",
       "is in the folder of a database"},
      {id + ";out_dir=" + out_.path() + "/sstables;sstable_version=nb",
       "holds SSTables of Cassandra"},
      {"id=cassandra_bloom_exporter;out_dir=" + folder + ";sstable_version=nb",
       "is unknown; the listener is cassandra_bloom_export"},
      {"id=cassandra_bloom;out_dir=" + folder + ";sstable_version=nb",
       "is unknown; the listener is cassandra_bloom_export"},
  };
  for (const RefusedOptions& refusal : refusals) {
    for (const std::string& text :
         {"{" + refusal.listeners + "}", "{{" + refusal.listeners + "}}"}) {
      rocksdb::DBOptions options;
      const rocksdb::Status status = Parse(text, &options);
      EXPECT_FALSE(status.ok()) << text;
      EXPECT_THAT(status.ToString(), HasSubstr(refusal.message)) << text;
    }
  }
  EXPECT_FALSE(fs::exists(folder));
}

// In these texts, no listener's name begins with cassandra_bloom_export.
TEST_F(ListenerOptionsTest, OtherListenersAreNotOurs) {
  for (const char* const text :
       {"my_cassandra_bloom_export", "Other:my_cassandra_bloom_export",
        "{id=Other;name=cassandra_bloom_export}"}) {
    EXPECT_TRUE(Parsed(text).empty()) << text;
  }
}

// The listener's folder need not exist for a process that reads the OPTIONS
// file.
TEST_F(ListenerOptionsTest, AFolderThatIsNotThereForTheReader) {
  rocksdb::Options options = db_.options();
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  fs::create_directory(out_ / "gone");
  options.listeners = {NewListener(out_ / "gone/out")};
  db_.Reopen(options);
  AddFiles(1);
  EXPECT_TRUE(Eventually([&] { return Follows(out_ / "gone/out", db_); }));
  db_.Close();
  fs::remove_all(out_ / "gone");
  FilterDbExportOptions prefixes;
  prefixes.prefixes = true;
  EXPECT_TRUE(Export(prefixes))
      << error_ << ::testing::PrintToString(report_.errors);
}

// After a change of options, RocksDB writes an OPTIONS file and reads it back.
// If RocksDB cannot read it, the change fails.
TEST_F(ListenerOptionsTest, OptionsChangeWhileTheFolderIsGone) {
  rocksdb::ObjectRegistry::Default()->AddLibrary("test",
                                                 register_cassandra_bloom, "");
  rocksdb::Options options = db_.options();
// Since 10.2, RocksDB always fails if the OPTIONS file has an error.
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

TEST_F(ListenerOptionsTest, WhatTheFunctionRefuses) {
  std::string error;
  EXPECT_EQ(NewFilterDbExportListener("", "nb", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("is not given"));
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "xx", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("xx"));
  EXPECT_EQ(NewFilterDbExportListener(out_.path(), "", &error), nullptr);
  // NewFilterDbExportListener accepts a path with special characters.
  EXPECT_NE(NewFilterDbExportListener(out_ / "a:b;c", "nb", &error), nullptr)
      << error;
}

// The database must open even if the listener's folder cannot be created.
TEST_F(ListenerOptionsTest, AFolderThatCannotBeMade) {
  fs::create_directory(out_ / "mount");
  Open({NewListener(out_ / "mount/out")});
  fs::remove_all(out_ / "mount");
  Open({});  // Makes this process forget the folder.
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
