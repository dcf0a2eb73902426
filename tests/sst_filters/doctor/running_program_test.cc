// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says of the running program, from LOG files
// of real programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tools/sst_filters/database/rocksdb_log.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Recorded(const std::string& name) {
  return ReadFile(CASSANDRA_BLOOM_TEST_LOGS "/" + name);
}

// Returns the log with all tickers 0, as that of a program that has just
// started.
std::string JustStarted(const std::string& log) {
  return std::regex_replace(log, std::regex("COUNT : [0-9]+"), "COUNT : 0");
}

// A database, whose files of earlier programs are given.
class DbWithLogs : public FilledDb {
 public:
  explicit DbWithLogs(const rocksdb::Options& options = DbOptions(OurPolicy()))
      : FilledDb(options) {
    Close();
    RemoveFiles(*this, "LOG");
  }

  // The files get later and later times.
  void Write(const std::string& name, const std::string& log) {
    WriteFile(path() + "/" + name, log);
    fs::last_write_time(
        path() + "/" + name,
        fs::file_time_type::clock::now() + std::chrono::seconds(++seconds_));
  }

  Json Log() const { return Exits(0, Doctor(*this)).json()["log"]; }

 private:
  int seconds_ = 0;
};

void ExpectTickersOf783(const Json& log) {
  const Json& tickers = log["tickers"];
  EXPECT_EQ(tickers["time"], "2026/11/28 11:27:42");
  EXPECT_EQ(tickers["useful"], 1312746);
  EXPECT_EQ(tickers["full_positive"], 12809);
  EXPECT_EQ(tickers["look_ups_in_files"], 662783);
  EXPECT_EQ(tickers["absent_share"], 1);
  EXPECT_NEAR(tickers["rate"], 12809 / (12809 + 1312746.), 1e-9);
}

TEST(DoctorRunningProgramTest, OfRocksdb78) {
  DbWithLogs db;
  db.Write("LOG", Recorded("db_bench_783.txt"));
  ExpectTickersOf783(db.Log());
  const Json cache = FamilyOf(Doctor(db))["block_cache"];
  EXPECT_EQ(cache["capacity"], 32 << 20);
  EXPECT_EQ(cache["num_shard_bits"], 6);
  EXPECT_EQ(cache["is_strict"], false);
  // The two column families share the cache, so this is not twice as much.
  EXPECT_NEAR(cache["filter_bytes"], 13.79 * (1 << 20), 1);
  const std::string text = Doctor(db, "").out;
  EXPECT_THAT(text, HasSubstr("\nin the running program, until 2026/11/28 "
                              "11:27:42, in all column families:\n"));
  EXPECT_THAT(text, HasSubstr("\n  of absent keys                  100 %\n"));
  EXPECT_THAT(text, HasSubstr("  filters in the block cache  "));
}

TEST(DoctorRunningProgramTest, OfRocksdb118WithMultiGet) {
  DbWithLogs db;
  db.Write("LOG", Recorded("db_bench_1181.txt"));
  const Json tickers = db.Log()["tickers"];
  EXPECT_EQ(tickers["full_true_positive"], 183347);
  EXPECT_NEAR(tickers["absent_share"], 1 - 183347 / 1379368., 1e-9);
  const double passed = 219648 - 183347;
  EXPECT_NEAR(tickers["rate"], passed / (passed + 3745564), 1e-9);
  EXPECT_NEAR(FamilyOf(Doctor(db))["block_cache"]["filter_bytes"],
              124.89 * 1024, 1);
}

// One sentence says which row of the table to take.
TEST(DoctorRunningProgramTest, Advice) {
  const std::string absent = Recorded("db_bench_783.txt");
  const std::string present =
      std::regex_replace(absent, std::regex("rocksdb.l0.hit COUNT : 0"),
                         "rocksdb.l0.hit COUNT : 650000");
  TestDb db(DbOptions(BuiltinPolicy()));
  AddFile(&db, 0, 20000);
  db.Compact();
  db.Close();
  WriteFile(db.path() + "/LOG", absent);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("100 % of look-ups were of absent keys: the fewest "
                        "blocks are read in vain, in no more memory, with "
                        "ribbonfilter:13:0 (0.00"));
  WriteFile(db.path() + "/LOG", present);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("98.1 % of look-ups were of present keys: the least "
                        "memory, without more blocks read in vain, has "
                        "cassandra_bloom:mix:3 ("));
}

// Where RocksDB asks for prefixes alone, absent keys of present prefixes pass,
// too, so there is no rate.
TEST(DoctorRunningProgramTest, PrefixesAlone) {
  rocksdb::BlockBasedTableOptions table = TableOptions(OurPolicy());
  table.whole_key_filtering = false;
  rocksdb::Options options = DbOptions(table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  DbWithLogs db(options);
  db.Write("LOG", Recorded("db_bench_783.txt"));
  EXPECT_EQ(db.Log()["tickers"]["rate"], Json());
}

TEST(DoctorRunningProgramTest, TheLastTickersThatAreNot0) {
  const std::string log = Recorded("db_bench_783.txt");
  DbWithLogs db;
  db.Write("LOG", log + JustStarted(log));
  ExpectTickersOf783(db.Log());
  // The end of a file that is being written.
  const std::string more =
      std::regex_replace(log, std::regex("COUNT : 1"), "COUNT : 2");
  db.Write("LOG", log + more.substr(0, more.find("rocksdb.number.multiget")));
  ExpectTickersOf783(db.Log());
}

// A line that is cut off says nothing, however it is cut. Nor does what an
// earlier, longer line has left in memory.
TEST(DoctorRunningProgramTest, EveryTruncation) {
  const TempDir dir;
  // Returns all that is in the text of a log.
  const auto read = [&](const std::string& text) {
    fs::remove(dir / "LOG");  // To truncate it takes longer.
    std::ofstream(dir / "LOG") << text;
    const tools::RocksdbLog log =
        tools::ReadRocksdbLog(dir.path(), "", /*read_all=*/false);
    std::string all = log.time + (log.has_statistics ? " 1" : " 0");
    for (const auto& [name, count] : log.tickers) {
      all += " " + name + "=" + std::to_string(count);
    }
    for (const auto& [family, cache] : log.caches) {
      all += " " + family + ":" + std::to_string(cache.capacity) + " " +
             std::to_string(cache.num_shard_bits) + " " + cache.counted_at +
             " " + std::to_string(cache.filter_bytes.value_or(0));
    }
    return all;
  };
  const std::string sizes = std::string(55, 'x') + "1234567890 KB\n";
  const std::string log = Recorded("db_bench_1181.txt");
  std::string whole_lines;
  for (size_t end = 0; end < log.size(); ++end) {
    SCOPED_TRACE(end);
    const size_t line = end == 0 ? 0 : log.rfind('\n', end - 1) + 1;
    if (line == end) {
      whole_lines = read(log.substr(0, end));
    }
    ASSERT_EQ(read(log.substr(0, end)), whole_lines);
    // The same as a line of its own, after two different ones.
    const std::string cut = log.substr(line, end - line);
    if (cut.rfind("Block cache entry stats", 0) == 0) {
      const std::string before = log.substr(0, line);
      ASSERT_EQ(read(before + sizes + cut + "\n"), read(before + cut + "\n"));
    }
  }
}

TEST(DoctorRunningProgramTest, NothingIsKnown) {
  DbWithLogs db;
  EXPECT_EQ(db.Log(), Json());
  db.Write("LOG", JustStarted(Recorded("db_bench_783.txt")));
  EXPECT_EQ(db.Log()["tickers"], Json());
  EXPECT_THAT(Doctor(db, "").out, HasSubstr("its LOG counts no look-up yet"));
  // With statistics, and before RocksDB has written the first tickers.
  const std::string none = Recorded("db_bench_783_no_statistics.txt");
  db.Write("LOG", std::regex_replace(none, std::regex("\\(nil\\)"), "0x5a5a"));
  EXPECT_THAT(Doctor(db, "").out, HasSubstr("its LOG counts no look-up yet"));
  db.Write("LOG", none);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("the program has to set DBOptions::statistics"));
  EXPECT_THAT(Doctor(db, "").out, Not(HasSubstr("of look-ups were of")));
}

// An earlier file is read if LOG has no tickers, but LOG has the options.
TEST(DoctorRunningProgramTest, AnEarlierFile) {
  DbWithLogs db;
  db.Write("LOG.old.1795864000000000", Recorded("db_bench_1181.txt"));
  db.Write("LOG.old.1795865000000000", Recorded("db_bench_783.txt"));
  db.Write("LOG", std::regex_replace(Recorded("db_bench_783_no_statistics.txt"),
                                     std::regex("capacity : 33554432"),
                                     "capacity : 5000"));
  const Json answer = Exits(0, Doctor(db)).json();
  ExpectTickersOf783(answer["log"]);
  EXPECT_EQ(answer["column_families"][0]["block_cache"]["capacity"], 5000);
}

// A command such as ldb renames the LOG of a running program, which goes on
// writing to it.
TEST(DoctorRunningProgramTest, TheFileThatWasWrittenLast) {
  const std::string log = Recorded("db_bench_783.txt");
  DbWithLogs db;
  db.Write("LOG", JustStarted(Recorded("db_bench_1181.txt")));
  db.Write("LOG.old.1795865000000000", log);
  EXPECT_THAT(db.Log()["file"], HasSubstr("LOG.old"));
  EXPECT_EQ(FamilyOf(Doctor(db))["block_cache"]["num_shard_bits"], 6);
}

TEST(DoctorRunningProgramTest, AnotherFolder) {
  const TempDir logs;
  rocksdb::Options options = DbOptions(OurPolicy());
  options.db_log_dir = logs.path();
  DbWithLogs db(options);
  for (const std::string& name : NamesIn(logs.path())) {
    WriteFile(logs / name, Recorded("db_bench_783.txt"));
  }
  ExpectTickersOf783(db.Log());
}

}  // namespace
}  // namespace cassandra_bloom::testing
