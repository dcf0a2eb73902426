// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/convenience.h>

#include <filesystem>
#include <string>

#include "plugin/filter_db/read_file.h"
#include "tests/export/export_fixture.h"
#include "tests/sst_filters/opened_files.h"
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

  // Returns how many filters an export makes, keeps and removes.
  Counts Export(const std::string& options = "") const {
    const Json report = Exits(0, SstFilters(Db() + "--json " + options)).json();
    return {report["exported"].size(), report["kept"].size(),
            report["removed"].size()};
  }
};

TEST_F(ExportCommandTest, ExportsKeepsAndRemoves) {
  EXPECT_THAT(Exits(1, SstFilters(Db() + "--dry-run")).out,
              HasSubstr("would be exported:\n"));
  EXPECT_EQ(Filters(), Names());
  const Json first = Exits(0, SstFilters(Db() + "--json")).json()["exported"];
  ASSERT_EQ(first.size(), 2);
  EXPECT_EQ(first[0]["from"], "block");
  EXPECT_EQ(first[0]["keys"], 1000);
  EXPECT_EQ(first[0]["probes"], 7);
  EXPECT_EQ(first[0]["words"], NumWords(1000));
  EXPECT_FALSE(first[0].contains("why_not_block"));
  ExpectFilters(2);
  Exits(0, SstFilters(Db() + "--dry-run"));
  db_.Compact();
  const std::string second = Exits(0, SstFilters(Db())).out;
  EXPECT_THAT(second, HasSubstr("exported:\n"));
  EXPECT_THAT(second, HasSubstr(": removed\n"));
  ExpectFilters(1);
  const Json third = SstFilters(Db() + "--json").json();
  EXPECT_EQ(third["kept"], Json({OneFilter()}));
  EXPECT_EQ(third["exported"], Json::array());
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
    const std::string text = Exits(0, SstFilters(command)).out;
    EXPECT_THAT(text, HasSubstr("/a\\x0ab/nb-"));
    EXPECT_THAT(text, Not(HasSubstr("a\nb")));
  }
}

TEST_F(ExportCommandTest, Options) {
  db_.Compact();
  const Ran ran = Exits(
      0, SstFilters("export --db=" + db_.path() + ToOut("la") +
                    "--from=keys --bits=16 --partition-key=fixed:8 --json"));
  const Json exported = ran.json()["exported"];
  ASSERT_EQ(exported.size(), 1U);
  EXPECT_EQ(exported[0]["from"], "keys");
  EXPECT_EQ(exported[0]["partition_key"], "fixed:8");
  EXPECT_EQ(exported[0]["probes"], 11);
  EXPECT_EQ(OneFilter(), exported[0]["file"]);
}

TEST_F(ExportCommandTest, BadCommandLines) {
  const TempDir dir;
  WriteFile(dir / "file", "");
  fs::create_directory(dir / "bad");
  WriteFile(dir / "bad/CURRENT", "x");

  struct BadLine {
    std::string arguments;
    const char* message;
    int exit_code = 64;
  };
  const BadLine bad_lines[] = {
      {"export" + ToOut(), "--db is required"},
      {"export --db=" + db_.path(), "--out-dir is required"},
      {"export --db=" + db_.path() + " --out-dir=" + out_.path(),
       "--sstable-version is required"},
      {"export --db=" + dir.path() +
           " --sstable-version=nb --out-dir=" + dir / "made",
       "is no database: it has no file CURRENT", 3},
      {"export --db=" + dir / "bad" + ToOut(), "cannot be opened as a RocksDB",
       3},
      {"export --db=" + dir / "file" + ToOut(), "Directory is actually a file"},
      {"doctor --db=/none", "--db: Directory does not exist: /none"},
      {"doctor --db=" + dir / "bad", "cannot be opened as a RocksDB", 3},
      {Db() + "--column-family=none",
       "has no column family 'none'; it has 'default'", 3},
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
       "cannot be created", 3},
      {"export --db=" + db_.path() +
           " --sstable-version=nb --out-dir=" + dir / "file",
       "is no folder", 3},
  };
  db_.Close();  // An open database might still remove a log.
  const auto before = StateOf(db_.path());
  for (const BadLine& bad : bad_lines) {
    const Ran ran = Exits(bad.exit_code, SstFilters(bad.arguments));
    EXPECT_EQ(ran.out, "") << bad.arguments;
    EXPECT_THAT(ran.err, HasSubstr(bad.message)) << bad.arguments;
  }
  EXPECT_EQ(StateOf(db_.path()), before);
  EXPECT_EQ(Filters(), Names());
  EXPECT_FALSE(fs::exists(dir / "made"));
}

TEST_F(ExportCommandTest, TakesOverAFolderIfForced) {
  const std::string mine = out_ / "nb-1-big-Filter.db";
  WriteFile(mine, "made by hand");
  const Ran refused = Exits(3, SstFilters(Db()));
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("holds nb-1-big-Filter.db, which no"));
  EXPECT_EQ(ReadFile(mine), "made by hand");
  EXPECT_THAT(Exits(0, SstFilters(Db() + "--force")).out,
              HasSubstr(mine + ": removed\n"));
  ExpectFilters(2);
}

TEST_F(ExportCommandTest, ChangesNothingInTheDatabase) {
  IngestFile();
  // These rows are only in the write-ahead log.
  db_.Put(NumberedRows(next_, next_ + 1000));
  // RocksDB removes this file when it opens a database. An export must not
  // remove the file.
  WriteFile(db_.path() + "/000999.sst.trash", "trash");
  // RocksDB must not remove an old log between the two calls of StateOf.
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  const auto before = StateOf(db_.path());
  EXPECT_EQ(Export(), (Counts{3, 0, 0}));
  EXPECT_EQ(StateOf(db_.path()), before) << "while it is in use";
  ExpectFilters(3);
  db_.Close();
  const auto closed = StateOf(db_.path());
  EXPECT_EQ(Export(), (Counts{0, 3, 0}));
  EXPECT_EQ(StateOf(db_.path()), closed);
  db_.Reopen(db_.options());
  EXPECT_FALSE(fs::exists(db_.path() + "/000999.sst.trash"));
}

// A log may take more memory than there is. No filter is in it.
TEST_F(ExportCommandTest, OpensNoWriteAheadLog) {
  db_.Put(NumberedRows(next_, next_ + 1000));
  db_.Close();
  EXPECT_THAT(OpenedFiles(db_.path(), ".log", [&] { Export(); }),
              ::testing::IsEmpty());
  EXPECT_THAT(OpenedFiles(db_.path(), ".log", [&] { db_.Reopen(); }),
              Not(::testing::IsEmpty()));
}

TEST_F(ExportCommandTest, ColumnFamilies) {
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", db_.options(), NumberedRows(5000, 6000));
  EXPECT_EQ(Export(), (Counts{3, 0, 0}));
  // The filters of other column families are kept as long as they are right.
  EXPECT_EQ(Export("--column-family=default"), (Counts{0, 3, 0}));
  std::filesystem::remove_all(out_.path());
  EXPECT_EQ(Export("--column-family=default"), (Counts{2, 0, 0}));
  EXPECT_EQ(Export("--column-family=other --column-family=default"),
            (Counts{1, 2, 0}));
  Require(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(ExportCommandTest, SeveralPathsAndLevels) {
  const TempDir second;
  rocksdb::Options options = db_.options();
  options.db_paths = {{db_.path(), 1}, {second.path(), uint64_t{1} << 40}};
  options.num_levels = 9;
  db_.Reopen(options);
  rocksdb::CompactRangeOptions compact;
  compact.change_level = true;
  compact.target_level = 8;
  compact.target_path_id = 1;
  Require(db_->CompactRange(compact, nullptr, nullptr));
  EXPECT_THAT(
      Exits(2, SstFilters(Db())).err,
      HasSubstr("/a folder of db_paths or cf_paths that --db-path has"));
  const std::string first = "--db-path=" + db_.path();
  EXPECT_EQ(Export(first + " --db-path=" + second.path()), (Counts{1, 0, 0}));
  // A path that was forgotten must not look like files that are gone.
  Exits(2, SstFilters(Db()));
  EXPECT_EQ(Export(first + " --db-path=" + second.path()), (Counts{0, 1, 0}));
  EXPECT_THAT(Exits(64, SstFilters(Db() + "--db-path=" + second / "none")).err,
              HasSubstr("--db-path: Directory does not exist"));
}

// RocksDB reads files with the suffix of LevelDB, but lists them with its own.
TEST_F(ExportCommandTest, AFileOfLevelDb) {
  db_.Compact();
  const std::string sst = OnlySst(db_);
  db_.Close();
  fs::rename(sst, fs::path(sst).replace_extension(".ldb"));
  EXPECT_EQ(Export(), (Counts{1, 0, 0}));
  EXPECT_EQ(Export(), (Counts{0, 1, 0}));
}

// An OPTIONS file may name a listener of this library. It does nothing here,
// and its folder need not be there.
TEST_F(ExportCommandTest, ADatabaseWithAListener) {
  Listen();
  WriteOption(db_, "listeners", "{cassandra_bloom_export(nb,/no/such/folder)}");
  EXPECT_EQ(Export(), (Counts{2, 0, 0}));
}

}  // namespace
}  // namespace cassandra_bloom::testing
