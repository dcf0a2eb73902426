// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/file.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/filter_db/read_file.h"
#include "tests/export/export_fixture.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/special_files.h"

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
  const Ran ran = Filterdb(Db() + "--json");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const Json exported = ran.json()["exported"];
  ASSERT_EQ(exported.size(), 2);
  Names names;
  for (const Json& one : exported) {
    EXPECT_EQ(one["from"], "block");
    EXPECT_EQ(one["holds"], "keys");
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
  ASSERT_EQ(Filterdb(Db() + "--sync").exit_code, 0);
  db_.Compact();
  const Ran ran = Filterdb(Db() + "--sync");
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

  const Ran again = Filterdb(Db() + "--sync --json");
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
    const Ran ran = Filterdb(command);
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_THAT(ran.out, HasSubstr("/a\\x0ab/nb-"));
    EXPECT_THAT(ran.out, Not(HasSubstr("a\nb")));
  }
}

TEST_F(ExportCommandTest, SstFiles) {
  db_.Compact();
  const std::string sst = OnlySst(db_);
  const auto keys = KeysOf(NumberedRows(0, 2000));
  const Ran block = Filterdb("export --sst=" + sst + ToOut("me") + "--json");
  ASSERT_EQ(block.exit_code, 0) << block.err;
  const std::string file = block.json()["exported"][0]["file"];
  EXPECT_EQ(ReadFile(file), Built(keys, "me"));
  const Ran from_keys = Filterdb("export --sst=" + sst + ToOut("la") +
                                 "--from=keys --bits=10 --json");
  ASSERT_EQ(from_keys.exit_code, 0) << from_keys.err;
  EXPECT_EQ(from_keys.json()["exported"][0]["from"], "keys");
  EXPECT_EQ(ReadFile(from_keys.json()["exported"][0]["file"]),
            Built(keys, "la"));
}

// A FIFO, a folder and a symbolic link already have the names of filters. The
// export must write into the FIFO and leave the folder unchanged. It must write
// into the target of the link only with --force.
TEST_F(ExportCommandTest, SstFilesIntoWhatIsThere) {
  const TempDir ssts;
  std::string command = "export";
  for (const char* const number : {"1", "2", "3", "4"}) {
    fs::copy_file(LiveSst(), ssts / (std::string(number) + ".sst"));
    command += " --sst=" + ssts / (std::string(number) + ".sst");
  }
  command += ToOut();
  const auto name = [this](uint64_t number) {
    return out_ / FilterName(number);
  };
  MakeFifo(name(1));
  fs::create_directory(name(2));
  WriteFile(ssts / "old", "old");
  fs::create_symlink(ssts / "old", name(3));
  for (const std::string force : {"", " --force"}) {
    const Ran ran =
        Filterdb(command + force + "; code=$?; wait; exit $code",
                 "timeout 20 cat " + name(1) + " > " + ssts / "got" + " &");
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr(name(2) + ": is a folder, which is left"));
    EXPECT_EQ(TypeOf(name(1)), mode_t{S_IFIFO});
    EXPECT_EQ(TypeOf(name(2)), mode_t{S_IFDIR});
    EXPECT_EQ(TypeOf(name(3)), mode_t{S_IFLNK});
    EXPECT_EQ(TypeOf(name(4)), mode_t{S_IFREG});
    const std::string filter = ReadFile(name(4));
    EXPECT_EQ(ReadFile(ssts / "got"), filter);
    EXPECT_EQ(ReadFile(ssts / "old"), force.empty() ? "old" : filter);
  }
}

// Every form of the command must remove old temporary files, but not one that
// another process is writing.
TEST_F(ExportCommandTest, LeftOvers) {
  ASSERT_EQ(Filterdb(Db()).exit_code, 0);
  std::string number = *Filters().begin();
  number = number.substr(3, number.find('-', 3) - 3);
  const std::string left = OneFilter() + ".cassandra_bloom-01234567";
  const std::string running = OneFilter() + ".cassandra_bloom-fedcba98";
  WriteFile(running, "being written");
  const FileDescriptor writer(open(running.c_str(), O_WRONLY));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  const std::string sst =
      db_.path() + "/" + std::string(6 - number.size(), '0') + number + ".sst";
  for (const std::string& command :
       {Db() + "--force", "export --sst=" + sst + ToOut() + "--force",
        Db() + "--sync --force"}) {
    WriteFile(left, "half");
    EXPECT_EQ(Filterdb(command).exit_code, 0) << command;
    EXPECT_FALSE(fs::exists(left)) << command;
    EXPECT_TRUE(fs::exists(running)) << command;
  }
}

TEST_F(ExportCommandTest, SyncGoesThroughNoLink) {
  ASSERT_EQ(Filterdb(Db() + "--sync").exit_code, 0);
  const std::string link = OneFilter();
  const TempDir elsewhere;
  WriteFile(elsewhere / "precious", "precious");
  fs::remove(link);
  fs::create_symlink(elsewhere / "precious", link);
  for (const char* const force : {"--sync", "--sync --force"}) {
    const Ran ran = Filterdb(Db() + force);
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr(link + ": is a symbolic link, none of the "
                                          "export's own files"));
    EXPECT_EQ(TypeOf(link), mode_t{S_IFLNK});
    EXPECT_EQ(ReadFile(elsewhere / "precious"), "precious");
  }
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
      {Db() + "--prefixes", "has no prefix extractor"},
      {Db() + "--nonsense", "--nonsense"},
      {Db() + "surplus", "surplus"},
      {"export --db=" + db_.path() + ToOut("zz"), "'zz' is unknown"},
      {"export --db=" + db_.path() + ToOut("ma-to-me"), "is a form"},
      {"export --db=" + db_.path() +
           " --sstable-version=nb --out-dir=" + db_.path(),
       "where nothing is written"},
      {"export --db=" + db_.path() +
           " --sstable-version=nb --out-dir=" + dir / "a/b",
       "cannot be created"},
      {good + "--sync", "--sync requires"},
      {good + "--db-path=" + dir.path(), "--db-path requires"},
      {good + "--column-family=default", "--column-family requires"},
      {good + "--prefixes", "its prefix extractor is none"},
      {"export --sst=" + some_sst +
           " --sstable-version=nb --out-dir=" + db_.path(),
       "where nothing is written"},
      {from_dir + "/none.sst" + ToOut(), "not named after a file number"},
      {from_dir + "/sst" + ToOut(), "not named after a file number"},
      {from_dir + "/000003.sst" + ToOut(), "No such file"},
      {from_dir + "/000001.sst" + ToOut(), "cannot be read as a block-based"},
      {from_dir + "/000002.sst --sst=" + dir / "2.sst" + ToOut(),
       "would both be nb-2-big-Filter.db"},
      {from_dir + "/000002.sst" + ToOut("ka") + "--from=block",
       "every key has other bits"},
  };
  db_.Close();  // An open database might still remove a log.
  const auto before = StateOf(db_.path());
  for (const BadLine& bad : bad_lines) {
    const Ran ran = Filterdb(bad.arguments);
    EXPECT_EQ(ran.exit_code, 2) << bad.arguments;
    EXPECT_EQ(ran.out, "") << bad.arguments;
    EXPECT_THAT(ran.err, HasSubstr(bad.message)) << bad.arguments;
  }
  EXPECT_EQ(StateOf(db_.path()), before);
  EXPECT_EQ(Filters(), Names());
}

TEST_F(ExportCommandTest, ErrorsOfSomeFiles) {
  ASSERT_EQ(Filterdb(Db()).exit_code, 0);
  AddFile(&db_, 2000, 3000);
  const Ran ran = Filterdb(Db() + "--json");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("2 SST files were not exported"));
  EXPECT_THAT(ran.err, HasSubstr("will not be overwritten"));
  EXPECT_EQ(ran.json()["exported"].size(), 1);
  EXPECT_EQ(ran.json()["errors"].size(), 2);
  EXPECT_EQ(Filterdb(Db() + "--force").exit_code, 0);
}

TEST_F(ExportCommandTest, SyncOfOtherContents) {
  ASSERT_EQ(Filterdb(Db() + "--sync").exit_code, 0);
  const std::string other = "--sync --partition-key=fixed:8 --from=keys ";
  const Ran refused = Filterdb(Db() + other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("holds filters made with "
                                     "partition_key=default"));
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  const Ran forced = Filterdb(Db() + other + "--force --json");
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_EQ(forced.json()["exported"].size(), 2);
  const Ran again = Filterdb(Db() + other + "--json");
  EXPECT_EQ(again.json()["kept"].size(), 2);
  EXPECT_EQ(Filterdb(Db() + "--sync").exit_code, 2);
}

TEST_F(ExportCommandTest, SyncTakesOverAFolderIfForced) {
  const std::string mine = out_ / "nb-1-big-Filter.db";
  WriteFile(mine, "made by hand");
  const Ran refused = Filterdb(Db() + "--sync");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("such as nb-1-big-Filter.db, and"));
  EXPECT_THAT(refused.err, HasSubstr("choose another folder"));
  EXPECT_THAT(refused.err, HasSubstr("--sync --force"));
  EXPECT_EQ(Filters(), Names{"nb-1-big-Filter.db"});
  EXPECT_EQ(ReadFile(mine), "made by hand");
  const Ran forced = Filterdb(Db() + "--sync --force");
  EXPECT_EQ(forced.exit_code, 0) << forced;
  EXPECT_THAT(forced.out, HasSubstr(mine + ": removed\n"));
  EXPECT_EQ(Filters(), Live());
  EXPECT_EQ(Filterdb(Db() + "--sync").exit_code, 0);
}

TEST_F(ExportCommandTest, NamesOfSstablesWithATrieIndex) {
  db_.Compact();
  for (const std::string version : {"da", "ms", "mt"}) {
    const Ran ran =
        Filterdb("export --db=" + db_.path() + ToOut(version) + "--json");
    ASSERT_EQ(ran.exit_code, 0) << ran;
    const std::string file = ran.json()["exported"][0]["file"];
    EXPECT_THAT(
        file, HasSubstr(version == "da" ? "-bti-Filter.db" : "-big-Filter.db"));
    // `filterdb info` must find the SSTable version in the file name.
    EXPECT_EQ(Filterdb("info " + file).exit_code, 0);
  }
}

// The filters of both SST files hold prefixes. Only the second filter is
// partitioned.
TEST(ExportCommandPrefixesTest, KeysUnlessPrefixesAreAskedFor) {
  auto table_options = TableOptions(OurPolicy());
  table_options.whole_key_filtering = false;
  rocksdb::Options options = DbOptions(table_options);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  TestDb db(options);
  AddFile(&db, 0, 1000);
  table_options = TableOptions(OurPolicy(), Layout::kPartitioned);
  table_options.whole_key_filtering = false;
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(table_options));
  db.Reopen(options);
  AddFile(&db, 1000, 2000);
  const TempDir out;
  const std::string command =
      "export --db=" + db.path() +
      " --sstable-version=nb --json --sync --out-dir=" + out.path();
  const Ran keys = Filterdb(command);
  ASSERT_EQ(keys.exit_code, 0) << keys;
  ASSERT_EQ(keys.json()["exported"].size(), 2u);
  for (const Json& one : Json(keys.json()["exported"])) {
    EXPECT_EQ(one["holds"], "keys");
    EXPECT_EQ(one["keys"], 1000);
  }
  ExpectFiltersAreTheirs(db, out.path());
  // A folder must not hold both filters of keys and filters of prefixes.
  const Ran mixed = Filterdb(command + " --prefixes");
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("partition_key=default prefixes"));
  const Ran prefixes = Filterdb(command + " --prefixes --force");
  ASSERT_EQ(prefixes.exit_code, 0) << prefixes;
  for (const Json& one : Json(prefixes.json()["exported"])) {
    EXPECT_EQ(one["holds"], "prefixes");
    EXPECT_LT(one["keys"], 1000);
  }
  EXPECT_THAT(ReadFile(out / ".cassandra_bloom_database"),
              HasSubstr("\nnb\tpartition_key=default prefixes\t"));
  const Ran block = Filterdb(command + "2 --from=block");
  EXPECT_EQ(block.exit_code, 2);
  EXPECT_THAT(block.err, HasSubstr("its filter holds prefixes, which are "
                                   "exported only if prefixes are asked for"));
}

TEST_F(ExportCommandTest, HelpOfEach) {
  EXPECT_THAT(Filterdb("export --help").out, HasSubstr("--live-keys-only"));
  EXPECT_EQ(Filterdb("export --help").exit_code, 0);
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
        Filterdb(command + options + " --force --out-dir=" + dir / "out");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const Json one = ran.json()["exported"][0];
    EXPECT_EQ(one["partition_key"], "fixed:8");
    EXPECT_EQ(one["keys"], 100);
    EXPECT_EQ(ReadFile(one["file"]), ReadFile(dir / "nb-1-big-Filter.db"));
  }
  const Ran wrong =
      Filterdb(command + "--partition-key=u32 --out-dir=" + dir / "out");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'u32'"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
