// SPDX-License-Identifier: Apache-2.0

// Tests `mix` in databases: which filter a file gets, how large it is, and that
// a process without this library uses it.
// tests/policy/rocksdbs_policies_test.cc has all places of a file.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

PolicyPtr MixOf(double bits, const std::string& filter = "",
                const std::string& bottommost_filter = "") {
  rocksdb::CassandraBloomOptions options;
  options.mix = bits;
  options.filter = filter;
  options.bottommost_filter = bottommost_filter;
  return PolicyOf(options);
}

void CompactLevel0To(int level, const TestDb& db) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  std::vector<std::string> names;
  for (const auto& file : meta.levels.at(0).files) {
    names.push_back(file.name);
  }
  Require(db->CompactFiles(rocksdb::CompactionOptions(), names, level));
}

// Each level must have at most one file.
std::map<int, double> BitsByLevel(const TestDb& db) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  std::map<int, double> bits;
  for (const auto& level : meta.levels) {
    for (const auto& file : level.files) {
      EXPECT_EQ(bits.count(level.level), 0u);
      bits[level.level] = BitsPerKey(*tables.at(file.db_path + file.name));
    }
  }
  return bits;
}

void ExpectFilters(TestDb* db, const FilterTypes& types) {
  EXPECT_EQ(TypesIn(*db), types);
  ExpectAllFound(*db);
  EXPECT_GT(Rejected(db), 950u);
}

// A Ribbon filter takes 0.65 to 0.73 of the bits that it is made for.
void ExpectBits(double bits_per_key, const std::string& type, double bits) {
  const double factor = type == "ribbon" ? 0.69 : 1;
  EXPECT_NEAR(bits_per_key, factor * bits, 0.06 * factor * bits);
}

constexpr rocksdb::CompactionStyle kLeveled = rocksdb::kCompactionStyleLevel;
constexpr rocksdb::CompactionStyle kUniversal =
    rocksdb::kCompactionStyleUniversal;

struct MixCase {
  rocksdb::CompactionStyle style;
  bool has_dynamic_levels;
  PolicyPtr policy;
  const char* in_flush;
  const char* in_compaction;
  const char* at_the_bottom;
  double bits = 10;
};

TEST(MixTest, InFlushesCompactionsAndAtTheBottom) {
  const MixCase cases[] = {
      {kLeveled, true, MixOf(10), "bloom", "bloom", "ribbon"},
      {kLeveled, false, MixOf(10), "bloom", "bloom", "ribbon"},
      {kUniversal, true, MixOf(10), "bloom", "ribbon", "ribbon"},
      {kLeveled, true, MixOf(10, "ribbon"), "bloom", "ribbon", "ribbon"},
      {kUniversal, true, MixOf(10, "bloom"), "bloom", "bloom", "ribbon"},
      {kLeveled, true, MixOf(10, "cassandra"), "cassandra", "cassandra",
       "ribbon"},
      {kUniversal, true, MixOf(10, "cassandra"), "cassandra", "cassandra",
       "ribbon"},
      {kLeveled, true, MixOf(10, "", "bloom"), "bloom", "bloom", "bloom"},
      {kUniversal, true, MixOf(10, "", "bloom"), "bloom", "ribbon", "bloom"},
      {kLeveled, true, MixOf(6), "bloom", "bloom", "ribbon", 6},
  };
  for (const MixCase& expected : cases) {
    SCOPED_TRACE(expected.policy->GetId() + ", compaction style " +
                 std::to_string(expected.style));
    rocksdb::Options options = DbOptions(expected.policy);
    options.compaction_style = expected.style;
    options.level_compaction_dynamic_level_bytes = expected.has_dynamic_levels;
    TestDb db(options);
    db.Put(SomeRows());
    db.Flush();
    ExpectFilters(&db, {{expected.in_flush, 1}});
    CompactLevel0To(6, db);
    EXPECT_EQ(TypesIn(db), (FilterTypes{{expected.at_the_bottom, 1}}));
    // Fewer rows, because TypesIn counts equal filters once.
    db.Put(NumberedRows(100000, 103000));
    db.Flush();
    CompactLevel0To(5, db);
    db.Put(SomeRows());
    db.Flush();
    FilterTypes types;
    for (const char* const type :
         {expected.in_flush, expected.in_compaction, expected.at_the_bottom}) {
      ++types[type];
    }
    ExpectFilters(&db, types);
    const std::map<int, double> bits = BitsByLevel(db);
    ASSERT_EQ(bits.size(), 3u);
    ExpectBits(bits.at(0), expected.in_flush, expected.bits + 7);
    ExpectBits(bits.at(5), expected.in_compaction, expected.bits + 7);
    ExpectBits(bits.at(6), expected.at_the_bottom, expected.bits - 0.6);
  }
}

// In FIFO compaction nothing rewrites a flushed file. Without compaction,
// nobody knows what is bottommost.
TEST(MixTest, WhereRocksdbDoesNotCompact) {
  for (const auto& [style, type, bits] :
       {std::tuple(rocksdb::kCompactionStyleFIFO, "ribbon", 9.4),
        {rocksdb::kCompactionStyleNone, "bloom", 17.0}}) {
    SCOPED_TRACE(type);
    rocksdb::Options options = DbOptions(Mix());
    options.compaction_style = style;
    TestDb db(options);
    db.Put(SomeRows());
    db.Flush();
    ExpectFilters(&db, {{type, 1}});
    ExpectBits(BitsPerKey(db), type, bits);
  }
}

// Going back loses nothing: RocksDB's own policy uses the filters of `mix`.
TEST(MixTest, RocksdbsPolicyRejectsAsManyKeys) {
  const PolicyPtr builtin(rocksdb::NewBloomFilterPolicy(10));
  for (const uint32_t format_version : {4u, 5u}) {
    for (const Layout layout : AllLayouts()) {
      SCOPED_TRACE(ToString(layout) + ", " + std::to_string(format_version));
      const auto options = [&](const PolicyPtr& policy) {
        rocksdb::BlockBasedTableOptions table = TableOptions(policy, layout);
        table.format_version = format_version;
        rocksdb::Options all = DbOptions(table);
        all.level_compaction_dynamic_level_bytes = true;
        return all;
      };
      TestDb db(options(Mix()));
      db.Put(SomeRows());
      db.Flush();
      db.Compact();
      db.Put(SomeRows());
      db.Flush();
      const uint64_t with_library = Rejected(&db);
      EXPECT_GT(with_library, 950u);
      db.Reopen(options(builtin));
      EXPECT_EQ(Rejected(&db), with_library);
      ExpectAllFound(db);
    }
  }
}

TEST(MixTest, InAColumnFamilyOfAnOpenDatabase) {
  TestDb db(DbOptions(nullptr));
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db->CreateColumnFamily(DbOptions(Mix()), "mix", &family));
  for (const auto& [key, value] : SomeRows()) {
    Require(db->Put({}, family, key, value));
  }
  Require(db->Flush({}, family));
  ExpectBits(BitsPerKey(*OnlyTable({db.get(), family})), "bloom", 17);
  Require(CompactAll({db.get(), family}));
  ExpectBits(BitsPerKey(*OnlyTable({db.get(), family})), "ribbon", 9.4);
  Require(db->DestroyColumnFamilyHandle(family));
}

TEST(MixTest, ARibbonFilterOfFewKeysIsABloomFilter) {
  for (const auto& [num_keys, type] :
       {std::pair(2, "bloom"), {100, "bloom"}, {1000, "ribbon"}}) {
    SCOPED_TRACE(num_keys);
    const Dataset dataset = NumberedDataset(static_cast<uint32_t>(num_keys), 1);
    TestDb db(DbOptions(Mix()));
    db.Put(dataset.rows);
    db.Flush();
    db.Compact();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{type, 1}}));
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
