// SPDX-License-Identifier: Apache-2.0

// Tests `mix` in databases: which filter a file gets, how large it is, and that
// a process without this library uses it.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/policy_filter.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr double kTolerance = 0.2;  // In bits per key.

// `mix` with our filters above the last level.
PolicyPtr MixWithOurs() {
  rocksdb::CassandraBloomOptions options = Types("cassandra", "ribbon");
  options.allocation = "monkey";
  return PolicyOf(options);
}

// Writes a file to level 0, and then another one to the last level.
void FlushAndCompact(TestDb* db) {
  db->Put(SomeRows());
  db->Flush();
  db->Compact();
  db->Put(SomeRows());
  db->Flush();
}

TEST(MixTest, EveryFilterIsRocksdbsOwn) {
  for (const auto& [policy, above, id] :
       {std::tuple(Mix(), "bloom", "cassandra_bloom:mix:10"),
        {MixWithOurs(), "cassandra",
         "cassandra_bloom:mix:10:filter:cassandra"}}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(policy->GetId(), id);
    TestDb db(WithDynamicLevels(policy));
    db.Put(SomeRows());
    db.Flush();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{above, 1}}));
    EXPECT_NEAR(BitsPerKey(db), 23.845, kTolerance);
    db.Compact();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{"ribbon", 1}}));
    EXPECT_LT(BitsPerKey(db), 7.2);
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
    const std::string log = LogOf(db);
    EXPECT_NE(log.find(std::string(id) +
                       ": bits per key in files of level 0: 23.845"),
              std::string::npos)
        << log;
    EXPECT_NE(log.find("bottommost: 9.467 (Ribbon filters take about 0.7 of "
                       "these bits); on average 10.000"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("the same everywhere"), std::string::npos);
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
      FlushAndCompact(&db);
      const uint64_t with_library = Rejected(&db);
      EXPECT_GT(with_library, 950u);
      db.Reopen(options(builtin));
      EXPECT_EQ(Rejected(&db), with_library);
      ExpectAllFound(db);
    }
  }
}

// With a small multiplier, the levels above the last one hold so many keys that
// nothing would be left of a small average.
TEST(MixTest, TheLastLevelGetsAtLeastOneBit) {
  rocksdb::Options options =
      WithDynamicLevels(PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(2)));
  options.max_bytes_for_level_multiplier = 2;
  TestDb db(options);
  db.Put(SomeRows());
  db.Flush();
  const std::string log = LogOf(db);
  EXPECT_NE(log.find("level 6: 1.000, "), std::string::npos) << log;
  EXPECT_NE(log.find("; on average 2.443 if"), std::string::npos) << log;
}

// ---- Where levels have no sizes to go by ----

TEST(MixTest, IsTheAverageWithoutDynamicLevels) {
  rocksdb::CassandraBloomOptions monkey;
  monkey.allocation = "monkey";
  for (const PolicyPtr& policy : {Mix(), MixWithOurs(), PolicyOf(monkey)}) {
    SCOPED_TRACE(policy->GetId());
    rocksdb::Options without_dynamic_levels = WithDynamicLevels(policy);
    without_dynamic_levels.level_compaction_dynamic_level_bytes = false;
    const TempDir other;
    // With several paths, RocksDB switches dynamic levels off.
    rocksdb::Options several_paths = WithDynamicLevels(policy);
    several_paths.cf_paths = {{other / "1", 1 << 30}, {other / "2", 1 << 30}};
    rocksdb::Options universal = WithDynamicLevels(policy);
    universal.compaction_style = rocksdb::kCompactionStyleUniversal;
    rocksdb::Options fifo = WithDynamicLevels(policy);
    fifo.compaction_style = rocksdb::kCompactionStyleFIFO;
    for (const rocksdb::Options& options :
         {without_dynamic_levels, several_paths, universal, fifo}) {
      SCOPED_TRACE(options.compaction_style);
      TestDb db(options);
      db.Put(SomeRows());
      db.Flush();
      EXPECT_NEAR(BitsPerKey(db), 10, kTolerance);
      EXPECT_NE(LogOf(db).find("level 0: 10.000"), std::string::npos);
      EXPECT_NE(LogOf(db).find("the same everywhere, because levels get bits "
                               "by their sizes only in leveled compaction"),
                std::string::npos);
      ExpectAllFound(db);
      EXPECT_GT(Rejected(&db), 950u);
    }
  }
}

TEST(MixTest, StaysTheAverageAfterUseWithoutDynamicLevels) {
  rocksdb::Options options = DbOptions(Mix());
  options.level_compaction_dynamic_level_bytes = false;
  TestDb db(options);
  options.level_compaction_dynamic_level_bytes = true;
  db.Reopen(options);
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 10, kTolerance);
  EXPECT_NE(LogOf(db).find("in each column family that has this policy"),
            std::string::npos);
  options.table_factory = DbOptions(Mix()).table_factory;
  db.Reopen(options);
  db.Compact();
  EXPECT_EQ(LogOf(db).find("the same everywhere"), std::string::npos);
}

// RocksDB tells a policy the options of column families only in DB::Open. So a
// policy that no DB::Open has seen gives all files the average bits per key.
TEST(MixTest, InAColumnFamilyOfAnOpenDatabase) {
  const PolicyPtr mix = Mix();
  TestDb db(WithDynamicLevels(mix));
  for (const auto& [policy, bits] :
       {std::pair(mix, 23.845), std::pair(Mix(), 10.0)}) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    Require(db->CreateColumnFamily(WithDynamicLevels(policy),
                                   std::to_string(bits), &family));
    for (const auto& [key, value] : SomeRows()) {
      Require(db->Put({}, family, key, value));
    }
    Require(db->Flush({}, family));
    EXPECT_NEAR(BitsPerKey(*OnlyTable({db.get(), family})), bits, kTolerance);
    Require(db->DestroyColumnFamilyHandle(family));
  }
  EXPECT_NE(LogOf(db).find("only once a database was opened with it"),
            std::string::npos);
}

// ---- Filters of few keys ----

TEST(MixTest, ARibbonFilterOfFewKeysIsABloomFilter) {
  for (const auto& [num_keys, type] :
       {std::pair(2, "bloom"), {100, "bloom"}, {1000, "ribbon"}}) {
    SCOPED_TRACE(num_keys);
    const Dataset dataset = NumberedDataset(static_cast<uint32_t>(num_keys), 1);
    TestDb db(WithDynamicLevels(Mix()));
    db.Put(dataset.rows);
    db.Flush();
    db.Compact();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{type, 1}}));
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
