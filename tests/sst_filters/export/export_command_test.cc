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
};

TEST_F(ExportCommandTest, ExportsKeepsAndRemoves) {
  const Ran missing = SstFilters(Db() + "--dry-run");
  EXPECT_EQ(missing.exit_code, 1) << missing;
  EXPECT_THAT(missing.out, HasSubstr(": would be exported from " + db_.path()));
  EXPECT_EQ(Filters(), Names());
  const Ran first = SstFilters(Db() + "--json");
  EXPECT_EQ(first.exit_code, 0) << first;
  ASSERT_EQ(first.json()["exported"].size(), 2);
  const Json one = first.json()["exported"][0];
  EXPECT_EQ(one["from"], "block");
  EXPECT_EQ(one["keys"], 1000);
  EXPECT_EQ(one["probes"], 7);
  EXPECT_EQ(one["words"], NumWords(1000));
  EXPECT_FALSE(one.contains("why_not_block"));
  EXPECT_EQ(Filters(), Live());
  EXPECT_EQ(SstFilters(Db() + "--dry-run").exit_code, 0);
  db_.Compact();
  const Ran second = SstFilters(Db());
  ASSERT_EQ(second.exit_code, 0) << second;
  EXPECT_THAT(second.out, HasSubstr("2000 keys from the block, 7 probes"));
  EXPECT_THAT(second.out, HasSubstr(": removed\n"));
  ASSERT_EQ(Filters(), Live());
  const Ran third = SstFilters(Db() + "--json");
  EXPECT_EQ(third.json()["kept"], Json({OneFilter()}));
  EXPECT_EQ(third.json()["exported"], Json::array());
}

// A name that contains a line feed must not look like two lines.
TEST_F(ExportCommandTest, NoNameFakesALine) {
  const std::string folder = out_.path() + "/a\nb";
  fs::create_directory(folder);
  const std::string command = "export --db=" + db_.path() +
                              " '--out-dir=" + folder +
                              "' --sstable-version=nb";
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
  const std::string command =
      "export --sst=" + OnlySst(db_) + ToOut("la") +
      "--from=keys --bits=16 --partition-key=fixed:8 --json";
  const Ran ran = SstFilters(command);
  ASSERT_EQ(ran.exit_code, 0) << ran;
  const Json one = ran.json()["exported"][0];
  EXPECT_EQ(one["from"], "keys");
  EXPECT_EQ(one["partition_key"], "fixed:8");
  EXPECT_EQ(one["probes"], 11);
  EXPECT_EQ(Filters(),
            Names{fs::path(one["file"].get<std::string>()).filename()});
  const Ran again = SstFilters(command);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("will not be overwritten"));
  EXPECT_THAT(again.err, HasSubstr("1 of 1 SST files were not exported"));
  EXPECT_EQ(SstFilters(command + " --force").exit_code, 0);
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
      {Db() + "--column-family=none", "has no column family 'none'"},
      {Db() + "--from=disk", "--from"},
      {Db() + "--bits=ten", "--bits"},
      {Db() + "--bits=0", "--bits: '0' is not a number from 1 to 100"},
      {Db() + "--fp-chance=1", "--fp-chance: '1' is not a number of at least"},
      {Db() + "--fp-chance=0.01 --bits=10", "--bits"},
      {Db() + "--nonsense", "--nonsense"},
      {"export --db=" + db_.path() + ToOut("zz"), "'zz' is unknown"},
      {"export --db=" + db_.path() + ToOut("ma-to-me"), "is a form"},
      {"export --db=" + db_.path() +
           " --sstable-version=nb --out-dir=" + dir / "a/b",
       "cannot be created"},
      {good + "--dry-run", "--dry-run requires"},
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

TEST_F(ExportCommandTest, TakesOverAFolderIfForced) {
  const std::string mine = out_ / "nb-1-big-Filter.db";
  WriteFile(mine, "made by hand");
  const Ran refused = SstFilters(Db());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("such as nb-1-big-Filter.db, and"));
  EXPECT_EQ(ReadFile(mine), "made by hand");
  const Ran forced = SstFilters(Db() + "--force");
  EXPECT_EQ(forced.exit_code, 0) << forced;
  EXPECT_THAT(forced.out, HasSubstr(mine + ": removed\n"));
  EXPECT_EQ(Filters(), Live());
}

}  // namespace
}  // namespace cassandra_bloom::testing
