// SPDX-License-Identifier: Apache-2.0

// Tests the bits per key of the files in each level.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::CassandraBloomOptions;

PolicyPtr ListPolicy(std::vector<double> level_bits) {
  CassandraBloomOptions options;
  options.level_bits = std::move(level_bits);
  return PolicyOf(options);
}

CassandraBloomOptions Monkey() {
  CassandraBloomOptions options;
  options.allocation = "monkey";
  return options;
}

rocksdb::Options LevelOptions(const CassandraBloomOptions& policy) {
  rocksdb::Options options = DbOptions(PolicyOf(policy));
  options.level_compaction_dynamic_level_bytes = true;
  return options;
}

size_t CountOf(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

void CompactTo(int level, const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    names.push_back(file.name);
  }
  Require(db->CompactFiles(rocksdb::CompactionOptions(), names, level));
}

// The tolerance in bits per key. A filter has a header, and is rounded up.
constexpr double kExcess = 0.15;

TEST(LevelsTest, AListByLevel) {
  TestDb db(DbOptions(ListPolicy({16, 12, 8, 4})));
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 16, kExcess);
  for (const auto& [level, bits] :
       {std::pair(1, 12), {2, 8}, {3, 4}, {4, 4}, {6, 4}}) {
    CompactTo(level, db);
    EXPECT_NEAR(BitsPerKey(db), bits, kExcess) << level;
  }
}

TEST(LevelsTest, InAFlushAndAtTheBottom) {
  CassandraBloomOptions list;
  list.level_bits = {16, 12};
  list.bottommost_bits = 6;  // Wins over the list in the last level.
  for (const auto& [policy, flushed, bottom] :
       {std::tuple(list, 16.0, 6.0), {Monkey(), 23.845, 9.467}}) {
    TestDb db(LevelOptions(policy));
    db.Put(SomeRows());
    db.Flush();
    EXPECT_NEAR(BitsPerKey(db), flushed, kExcess);
    db.Compact();
    EXPECT_NEAR(BitsPerKey(db), bottom, kExcess);
  }
}

// RocksDB starts a new LOG each time a database is opened.
TEST(LevelsTest, TheTableIsInTheLog) {
  TestDb db(LevelOptions(Monkey()));
  const std::string line =
      "[default] cassandra_bloom:10:allocation:monkey: bits per key in files "
      "of level 0: 23.845, level 1: 23.845, level 2: 23.845, level 3: 23.845, "
      "level 4: 19.053, level 5: 14.260, level 6: 9.467, bottommost: 9.467";
  for (int i = 0; i < 2; ++i) {
    for (int flush = 0; flush < 2; ++flush) {
      db.Put(SomeRows());
      db.Flush();
    }
    EXPECT_EQ(CountOf(line, LogOf(db)), 1u) << LogOf(db);
    db.Reopen();
  }
  TestDb uniform(DbOptions(OurPolicy()));
  uniform.Put(SomeRows());
  uniform.Flush();
  EXPECT_EQ(CountOf("bits per key in files", LogOf(uniform)), 0u);
}

TEST(LevelsTest, EachColumnFamilyHasItsTableInTheLog) {
  rocksdb::Options options = DbOptions(ListPolicy({16, 12, 8}));
  TestDb db(options);
  options.num_levels = 2;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db->CreateColumnFamily(options, "other", &family));
  for (auto* const handle : {db->DefaultColumnFamily(), family}) {
    Require(db->Put({}, handle, "key", "value"));
    Require(db->Flush(rocksdb::FlushOptions(), handle));
  }
  Require(db->DestroyColumnFamilyHandle(family));
  const std::string log = LogOf(db);
  EXPECT_EQ(CountOf("[default] cassandra_bloom:level_bits:16,12,8: bits per "
                    "key in files of level 0: 16.000, level 1: 12.000, level "
                    "2: 8.000, level 3: 8.000",
                    log),
            1u)
      << log;
  EXPECT_EQ(CountOf("[other] cassandra_bloom:level_bits:16,12,8: bits per key "
                    "in files of level 0: 16.000, level 1: 12.000\n",
                    log),
            1u)
      << log;
}

// The bits per key with which the fewest absent keys pass, if each level has
// 1/ratio of the keys of the level below it (Dayan and others: Monkey, SIGMOD
// 2017, in closed form). The last level has at least 1, and no level passes
// fewer than a thousandth of the keys that pass in the last one.
double MonkeyBits(double average, double ratio, int levels_above_the_last) {
  const double log2_squared = std::log(2) * std::log(2);
  const double step = std::log(ratio) / log2_squared;
  const double last = std::max(1.0, average - step / (ratio - 1));
  const double most = last + std::log(1000) / log2_squared;
  return std::min(last + levels_above_the_last * step, most);
}

// Writes a file to each level, the last one first, and expects its bits.
void ExpectMonkeyBits(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                      double ratio, const std::vector<int>& levels) {
  for (const int level : levels) {
    for (const auto& [key, value] : SomeRows()) {
      Require(db->Put({}, family, key, value));
    }
    Require(db->Flush(rocksdb::FlushOptions(), family));
    rocksdb::ColumnFamilyMetaData meta;
    db->GetColumnFamilyMetaData(family, &meta);
    if (level > 0) {
      const std::string file = meta.levels[0].files.at(0).name;
      Require(db->CompactFiles(rocksdb::CompactionOptions(), family, {file},
                               level));
      db->GetColumnFamilyMetaData(family, &meta);
    }
    const auto& file = meta.levels.at(static_cast<size_t>(level)).files.at(0);
    rocksdb::TablePropertiesCollection tables;
    Require(db->GetPropertiesOfAllTables(family, &tables));
    const auto table = tables.at(file.db_path + file.name);
    EXPECT_NEAR(BitsPerKey(*table), MonkeyBits(10, ratio, 6 - level), kExcess)
        << "level " << level;
  }
}

// RocksDB calls the policy with a multiplier that it has not checked, and opens
// a database with each of these. (With NaN, RocksDB 9.10 opens none, and in 7.8
// an assertion fails.)
TEST(LevelsTest, TheMultiplierOfTheDatabaseIsTheRatioOfLevels) {
  for (const auto& [multiplier, ratio] : {std::pair(0.0, 2.0),
                                          {1, 2},
                                          {1.5, 2},
                                          {4, 4},
                                          {10, 10},
                                          {1000, 1000}}) {
    SCOPED_TRACE(multiplier);
    rocksdb::Options options = LevelOptions(Monkey());
    options.disable_auto_compactions = true;
    options.max_bytes_for_level_multiplier = multiplier;
    const TestDb db(options);
    ExpectMonkeyBits(db.get(), db->DefaultColumnFamily(), ratio, {6, 5, 4, 0});
  }
}

TEST(LevelsTest, OfTwoColumnFamiliesTheSmallerMultiplierCounts) {
  rocksdb::Options options = LevelOptions(Monkey());
  options.disable_auto_compactions = true;
  options.max_bytes_for_level_multiplier = 10;
  rocksdb::ColumnFamilyOptions other = options;
  other.max_bytes_for_level_multiplier = 4;
  const TempDir folder;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  OpenedDb opened{};
  Require(rocksdb::DB::Open(options, folder / "db",
                            {{"default", options}, {"other", other}}, &families,
                            &opened));
  const std::unique_ptr<rocksdb::DB> db = Own(std::move(opened));
  for (auto* const family : families) {
    SCOPED_TRACE(family->GetName());
    ExpectMonkeyBits(db.get(), family, 4, {6, 5, 4, 0});
    Require(db->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
