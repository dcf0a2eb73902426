// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/filterdb_command.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class ExportCommandTest : public ExportTest {
 protected:
  ExportCommandTest() { AddFiles(2); }

  std::string ToOut(const std::string& version = "nb") const {
    return " --out-dir=" + out_.path() + " --sstable-version=" + version + " ";
  }
  std::string Db() const { return "export --db=" + db_.path() + ToOut(); }

  std::string LiveSst() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    return db_.path() + files[0].name;
  }
};

TEST_F(ExportCommandTest, Database) {
  const Ran ran = SstFilters(Db() + "--json");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const Json exported = ran.json()["exported"];
  ASSERT_EQ(exported.size(), 2);
  Names names;
  for (const Json& one : exported) {
    EXPECT_EQ(one["from"], "block");
    EXPECT_EQ(one["keys"], 1000);
    EXPECT_EQ(one["probes"], 7);
    EXPECT_EQ(one["words"], NumWords(1000));
    EXPECT_FALSE(one.contains("why_not_block"));
    const std::string file = one["file"];
    names.insert(file.substr(out_.path().size() + 1));
  }
  EXPECT_EQ(names, Filters());
}

TEST_F(ExportCommandTest, WhatIsExportedChecks) {
  ASSERT_EQ(SstFilters(Db() + "--sync").exit_code, 0);
  db_.Compact();
  const Ran ran = SstFilters(Db() + "--sync");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2000 keys from the block, 7 probes"));
  EXPECT_THAT(ran.out, HasSubstr(": removed\n"));
  ASSERT_EQ(Filters().size(), 1);
  std::string keys;
  for (const auto& row : NumberedRows(0, 2000)) {
    keys += row.first + "\n";
  }
  const TempDir dir;
  WriteFile(dir / "keys", keys);
  const std::string file = OneFilter();
  const Ran check =
      Filterdb("check " + file + " --key-format=text --keys=" + dir / "keys" +
               " --json");
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_EQ(check.json()["keys"], 2000);
  EXPECT_EQ(check.json()["missing"], 0);

  const Ran again = SstFilters(Db() + "--sync --json");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["kept"], Json({file}));
  EXPECT_EQ(again.json()["exported"], Json::array());
}

// A name that contains a line feed must not look like two lines.
TEST_F(ExportCommandTest, NoNameFakesALine) {
  const std::string folder = out_.path() + "/a\nb";
  fs::create_directory(folder);
  const std::string command = "export --db=" + db_.path() +
                              " '--out-dir=" + folder +
                              "' --sstable-version=nb --sync";
  for (int run = 0; run < 3; ++run) {  // Exports, keeps, removes.
    if (run == 2) {
      db_.Compact();
    }
    const Ran ran = SstFilters(command);
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_THAT(ran.out, HasSubstr("/a\\x0ab/nb-"));
    EXPECT_THAT(ran.out, Not(HasSubstr("a\nb")));
  }
}

TEST_F(ExportCommandTest, SstFiles) {
  db_.Compact();
  const std::string sst = OnlySst(db_);
  const auto keys = KeysOf(NumberedRows(0, 2000));
  const Ran block = SstFilters("export --sst=" + sst + ToOut("me") + "--json");
  ASSERT_EQ(block.exit_code, 0) << block.err;
  const std::string file = block.json()["exported"][0]["file"];
  EXPECT_EQ(ReadFile(file), Built(keys, "me"));
  const Ran from_keys = SstFilters("export --sst=" + sst + ToOut("la") +
                                   "--from=keys --bits=10 --json");
  ASSERT_EQ(from_keys.exit_code, 0) << from_keys.err;
  EXPECT_EQ(from_keys.json()["exported"][0]["from"], "keys");
  EXPECT_EQ(ReadFile(from_keys.json()["exported"][0]["file"]),
            Built(keys, "la"));
}

TEST_F(ExportCommandTest, BadCommandLines) {
  const TempDir dir;
  const std::string sst = db_.path() + "/000009.sst";
  std::string some_sst;
  for (const std::string& name : NamesIn(db_.path())) {
    some_sst = name.size() == 10 && name.substr(6) == ".sst"
                   ? db_.path() + "/" + name
                   : some_sst;
  }
  const std::string content = ReadFile(some_sst);
  WriteFile(dir / "000001.sst", content.substr(0, content.size() - 1));
  WriteFile(dir / "sst", content);
  WriteFile(dir / "000002.sst", content);
  const std::string good = "export --sst=" + dir / "000002.sst" + ToOut();
  const std::string from_dir = "export --sst=" + dir.path();

  struct BadLine {
    std::string arguments;
    const char* message;
  };
  const BadLine bad_lines[] = {
      {"export", "--out-dir is required"},
      {"export" + ToOut(), "[--sst,--db]"},
      {"export --db=" + db_.path(), "--out-dir is required"},
      {"export --db=" + db_.path() + " --out-dir=" + out_.path(),
       "--sstable-version is required"},
      {"export --db=" + db_.path() + " --sst=" + sst + ToOut(), "--db"},
      {"export --db=" + dir.path() + ToOut(), "cannot be opened as a RocksDB"},
      {"export --db=/none" + ToOut(), "cannot be opened as a RocksDB"},
      {Db() + "--column-family=none", "has no column family 'none'"},
      {Db() + "--from=disk", "--from"},
      {Db() + "--bits=ten", "--bits"},
      {Db() + "--bits=0", "--bits: '0' is not a number from 1 to 100"},
      {Db() + "--bits=101", "--bits: '101' is not a number from 1 to 100"},
      {Db() + "--bits=nan", "--bits: 'nan' is not a number from 1 to 100"},
      {Db() + "--fp-chance=1", "--fp-chance: '1' is not a number of at least"},
      {Db() + "--fp-chance=0.01 --bits=10", "--bits"},
      {Db() + "--nonsense", "--nonsense"},
      {Db() + "surplus", "surplus"},
      {"export --db=" + db_.path() + ToOut("zz"), "'zz' is unknown"},
      {"export --db=" + db_.path() + ToOut("ma-to-me"), "is a form"},
      {"export --db=" + db_.path() +
           " --sstable-version=nb --out-dir=" + dir / "a/b",
       "cannot be created"},
      {good + "--sync", "--sync requires"},
      {Db() + "--dry-run", "--dry-run requires"},
      {good + "--db-path=" + dir.path(), "--db-path requires"},
      {good + "--column-family=default", "--column-family requires"},
      {from_dir + "/none.sst" + ToOut(), "not named after a file number"},
      {from_dir + "/sst" + ToOut(), "not named after a file number"},
      {from_dir + "/000003.sst" + ToOut(), "No such file"},
      {from_dir + "/000001.sst" + ToOut(), "cannot be read as a block-based"},
      {from_dir + "/000002.sst --sst=" + dir / "2.sst" + ToOut(),
       "would both be nb-2-big-Filter.db"},
  };
  db_.Close();  // An open database might still remove a log.
  const auto before = StateOf(db_.path());
  for (const BadLine& bad : bad_lines) {
    const Ran ran = SstFilters(bad.arguments);
    EXPECT_EQ(ran.exit_code, 2) << bad.arguments;
    EXPECT_EQ(ran.out, "") << bad.arguments;
    EXPECT_THAT(ran.err, HasSubstr(bad.message)) << bad.arguments;
  }
  EXPECT_EQ(StateOf(db_.path()), before);
  EXPECT_EQ(Filters(), Names());
}

TEST_F(ExportCommandTest, ErrorsOfSomeFiles) {
  ASSERT_EQ(SstFilters(Db()).exit_code, 0);
  AddFile(&db_, 2000, 3000);
  const Ran ran = SstFilters(Db() + "--json");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("2 SST files were not exported"));
  EXPECT_THAT(ran.err, HasSubstr("will not be overwritten"));
  EXPECT_EQ(ran.json()["exported"].size(), 1);
  EXPECT_EQ(ran.json()["errors"].size(), 2);
  EXPECT_EQ(SstFilters(Db() + "--force").exit_code, 0);
}

TEST_F(ExportCommandTest, SyncTakesOverAFolderIfForced) {
  const std::string mine = out_ / "nb-1-big-Filter.db";
  WriteFile(mine, "made by hand");
  const Ran refused = SstFilters(Db() + "--sync");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("such as nb-1-big-Filter.db, and"));
  EXPECT_THAT(refused.err, HasSubstr("choose another folder"));
  EXPECT_EQ(Filters(), Names{"nb-1-big-Filter.db"});
  EXPECT_EQ(ReadFile(mine), "made by hand");
  const Ran forced = SstFilters(Db() + "--sync --force");
  EXPECT_EQ(forced.exit_code, 0) << forced;
  EXPECT_THAT(forced.out, HasSubstr(mine + ": removed\n"));
  EXPECT_EQ(Filters(), Live());
  EXPECT_EQ(SstFilters(Db() + "--sync").exit_code, 0);
}

TEST_F(ExportCommandTest, ADryRunSaysWhatIsMissing) {
  const std::string dry_run = Db() + "--sync --dry-run";
  const Ran missing = SstFilters(dry_run);
  EXPECT_EQ(missing.exit_code, 1) << missing;
  EXPECT_THAT(missing.out, HasSubstr(": would be exported from " + db_.path()));
  EXPECT_EQ(Filters(), Names());
  ASSERT_EQ(SstFilters(Db() + "--sync").exit_code, 0);
  EXPECT_EQ(SstFilters(dry_run).exit_code, 0);
  db_.Compact();
  const Ran old = SstFilters(dry_run);
  EXPECT_EQ(old.exit_code, 1) << old;
  EXPECT_THAT(old.out, HasSubstr(": would be removed\n"));
  const Ran json = SstFilters(dry_run + " --json");
  EXPECT_EQ(json.json()["exported"].size(), 1);
  EXPECT_EQ(json.json()["removed"].size(), 2);
  EXPECT_EQ(Filters().size(), 2);
}

TEST_F(ExportCommandTest, NamesOfSstablesWithATrieIndex) {
  db_.Compact();
  for (const std::string version : {"da", "ms", "mt"}) {
    const Ran ran =
        SstFilters("export --db=" + db_.path() + ToOut(version) + "--json");
    ASSERT_EQ(ran.exit_code, 0) << ran;
    const std::string file = ran.json()["exported"][0]["file"];
    EXPECT_THAT(
        file, HasSubstr(version == "da" ? "-bti-Filter.db" : "-big-Filter.db"));
    // `filterdb info` must find the SSTable version in the file name.
    EXPECT_EQ(Filterdb("info " + file).exit_code, 0);
  }
}

TEST(ExportCommandPartitionKeyTest, AsBuiltByTheCommand) {
  TestDb db(DbOptions(PolicyFor("fixed:8")));
  AddFile(&db, 0, 1000);
  const TempDir dir;
  std::string keys;
  for (int i = 0; i < 100; ++i) {
    keys += NumberedKey(static_cast<uint32_t>(10 * i)).substr(0, 8) + "\n";
  }
  WriteFile(dir / "keys", keys);
  ASSERT_EQ(Filterdb("build --keys=" + dir / "keys" +
                     " --key-format=text --bits=10 --out=" +
                     dir / "nb-1-big-Filter.db")
                .exit_code,
            0);
  const std::string command =
      "export --db=" + db.path() + " --sstable-version=nb --json ";
  for (const char* const options :
       {"--from=block", "--from=keys", "--from=keys --partition-key=fixed:8"}) {
    SCOPED_TRACE(options);
    const Ran ran =
        SstFilters(command + options + " --force --out-dir=" + dir / "out");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const Json one = ran.json()["exported"][0];
    EXPECT_EQ(one["partition_key"], "fixed:8");
    EXPECT_EQ(one["keys"], 100);
    EXPECT_EQ(ReadFile(one["file"]), ReadFile(dir / "nb-1-big-Filter.db"));
  }
  const Ran wrong =
      SstFilters(command + "--partition-key=u32 --out-dir=" + dir / "out");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'u32'"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
