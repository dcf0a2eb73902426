// SPDX-License-Identifier: Apache-2.0

// Tests which filter each file gets from `filter`, `bottommost_filter` and
// `mix`.

#include "tests/support/rocksdb/filter_types.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::CassandraBloomOptions;

struct TypesCase {
  const char* filter;
  const char* bottommost;
  const char* in_flush;
  const char* in_compaction;
};

TEST(FilterTypesTest, InAFlushAndAtTheBottom) {
  for (const auto& [filter, bottommost, in_flush, in_compaction] :
       {TypesCase{"cassandra", "", "cassandra", "cassandra"},
        {"cassandra", "bloom", "cassandra", "bloom"},
        {"cassandra", "ribbon", "cassandra", "ribbon"},
        {"bloom", "", "bloom", "bloom"},
        {"bloom", "cassandra", "bloom", "cassandra"},
        // RocksDB's Ribbon policy writes Bloom filters into flushed files.
        {"ribbon", "", "bloom", "ribbon"},
        {"ribbon", "cassandra", "bloom", "cassandra"}}) {
    SCOPED_TRACE(std::string(filter) + " " + bottommost);
    TestDb db(WithDynamicLevels(PolicyOf(Types(filter, bottommost))));
    db.Put(SomeRows());
    db.Flush();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{in_flush, 1}}));
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
    db.Compact();
    EXPECT_EQ(TypesIn(db), (FilterTypes{{in_compaction, 1}}));
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
}

TEST(FilterTypesTest, RibbonFiltersInFlushesOfFifoCompaction) {
  rocksdb::Options options = DbOptions(PolicyOf(Types("ribbon", "")));
  options.compaction_style = rocksdb::kCompactionStyleFIFO;
  TestDb db(options);
  db.Put(SomeRows());
  db.Flush();
  EXPECT_EQ(TypesIn(db), (FilterTypes{{"ribbon", 1}}));
  ExpectAllFound(db);
}

TEST(FilterTypesTest, RocksdbsFiltersHaveTheBitsOfTheirPlace) {
  CassandraBloomOptions options = Types("bloom", "");
  options.level_bits = {16, 12};
  options.bottommost_bits = 6;
  TestDb db(WithDynamicLevels(PolicyOf(options)));
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 16, 0.3);
  db.Compact();
  EXPECT_NEAR(BitsPerKey(db), 6, 0.3);
}

TEST(FilterTypesTest, MixWithDynamicLevels) {
  TestDb db(WithDynamicLevels(Mix()));
  EXPECT_EQ(Mix()->GetId(), "cassandra_bloom:mix:10");
  db.Put(SomeRows());
  db.Flush();
  EXPECT_EQ(TypesIn(db), (FilterTypes{{"cassandra", 1}}));
  EXPECT_NEAR(BitsPerKey(db), 23.845, 0.15);
  db.Compact();
  EXPECT_EQ(TypesIn(db), (FilterTypes{{"ribbon", 1}}));
  EXPECT_LT(BitsPerKey(db), 7.2);
  ExpectAllFound(db);
  EXPECT_GT(Rejected(&db), 950u);
  EXPECT_NE(LogOf(db).find("cassandra_bloom:mix:10: bits per key in files of "
                           "level 0: 23.845"),
            std::string::npos);
  EXPECT_NE(LogOf(db).find("bottommost: 9.467 (Ribbon filters take about 0.7 "
                           "of these bits); on average 10.000"),
            std::string::npos);
  EXPECT_EQ(LogOf(db).find("the same everywhere"), std::string::npos);
  // RocksDB's own policy opens the database and uses these filters.
  db.Reopen(WithDynamicLevels(BuiltinPolicy()));
  ExpectAllFound(db);
  EXPECT_GT(Rejected(&db), 950u);
}

// In these databases, the number of a level does not tell its size. So all
// files get the average bits per key.
TEST(FilterTypesTest, MixOpensEverywhere) {
  rocksdb::Options without_dynamic_levels = DbOptions(Mix());
  without_dynamic_levels.level_compaction_dynamic_level_bytes = false;
  rocksdb::Options universal = WithDynamicLevels(Mix());
  universal.compaction_style = rocksdb::kCompactionStyleUniversal;
  rocksdb::Options fifo = WithDynamicLevels(Mix());
  fifo.compaction_style = rocksdb::kCompactionStyleFIFO;
  for (const rocksdb::Options& options :
       {without_dynamic_levels, universal, fifo}) {
    SCOPED_TRACE(options.compaction_style);
    TestDb db(options);
    db.Put(SomeRows());
    db.Flush();
    EXPECT_NEAR(BitsPerKey(db), 10, 0.15);
    EXPECT_NE(LogOf(db).find("level 0: 10.000"), std::string::npos);
    EXPECT_NE(LogOf(db).find("the same everywhere"), std::string::npos);
    if (options.compaction_style != rocksdb::kCompactionStyleFIFO) {
      db.Compact();
      EXPECT_EQ(TypesIn(db), (FilterTypes{{"ribbon", 1}}));
      EXPECT_LT(BitsPerKey(db), 7.6);
    }
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
}

// Both databases get the average bits per key, because one of them has no
// dynamic levels.
TEST(FilterTypesTest, MixOfADatabaseWithoutDynamicLevelsStaysUniform) {
  const PolicyPtr mix = Mix();
  TestDb dynamic(WithDynamicLevels(mix));
  rocksdb::Options options = DbOptions(mix);
  options.level_compaction_dynamic_level_bytes = false;
  TestDb other(options);
  for (TestDb* const db : {&dynamic, &other}) {
    db->Put(SomeRows());
    db->Flush();
    EXPECT_NEAR(BitsPerKey(*db), 10, 0.15);
  }
}

// LOG must say that the policy was used before without dynamic levels.
TEST(FilterTypesTest, MixThatWasUsedWithoutDynamicLevelsStaysUniform) {
  rocksdb::Options options = DbOptions(Mix());
  options.level_compaction_dynamic_level_bytes = false;
  TestDb db(options);
  options.level_compaction_dynamic_level_bytes = true;
  db.Reopen(options);
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 10, 0.15);
  EXPECT_NE(LogOf(db).find("because the policy was also used for"),
            std::string::npos);
  options.table_factory = DbOptions(Mix()).table_factory;
  db.Reopen(options);
  db.Compact();
  EXPECT_EQ(LogOf(db).find("the same everywhere"), std::string::npos);
}

// RocksDB tells a policy the options of column families only in DB::Open. So a
// policy that no DB::Open has seen gives all files the average bits per key.
TEST(FilterTypesTest, MixInAColumnFamilyOfAnOpenDatabase) {
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
    const auto table = OnlyTable({db.get(), family, {}});
    EXPECT_NEAR((LevelFile{table->num_filter_entries, table->filter_size}
                     .bits_per_key()),
                bits, 0.15);
    Require(db->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
