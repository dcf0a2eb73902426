// SPDX-License-Identifier: Apache-2.0

// The options `filter`, `bottommost_filter` and `mix`: which filter each file
// of a database gets, and that every row is found.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/level_files.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::CassandraBloomOptions;

// Enough keys for a Ribbon filter: RocksDB makes Bloom filters of small sets.
Rows SomeRows() {
  Rows rows;
  for (int i = 0; i < 4000; ++i) {
    rows["key" + std::to_string(100000 + i)] = "value";
  }
  return rows;
}

CassandraBloomOptions Types(const std::string& filter,
                            const std::string& bottommost) {
  CassandraBloomOptions options;
  options.filter = filter;
  options.bottommost_filter = bottommost;
  options.blocks = "rocksdb";
  return options;
}

PolicyPtr PolicyOf(const CassandraBloomOptions& options) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options));
}

PolicyPtr Mix() { return PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(10)); }

// Counts the types of the filters that RocksDB reads.
class TypeCounter final : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return "TypeCounter"; }
  const char* CompatibilityName() const override { return kRocksdbsFilterName; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& block) const override {
    const bool is_ours = WithoutTrailer(block.ToStringView()).has_value();
    const int type = block.size() < 5 ? 0 : block[block.size() - 5];
    ++types_[is_ours      ? "cassandra"
             : type == -1 ? "bloom"
             : type == -2 ? "ribbon"
                          : "other"];
    return nullptr;
  }

  std::map<std::string, int> types() const { return types_; }

 private:
  mutable std::map<std::string, int> types_;
};

// The number of files with each type of filter.
std::map<std::string, int> TypesIn(const TestDb& db) {
  const auto counter = std::make_shared<TypeCounter>();
  rocksdb::Options options = DbOptions(TableOptions(counter));
  std::unique_ptr<rocksdb::DB> reader;
#if ROCKSDB_MAJOR >= 11
  Require(rocksdb::DB::OpenForReadOnly(options, db.path(), &reader));
#else
  rocksdb::DB* raw = nullptr;
  Require(rocksdb::DB::OpenForReadOnly(options, db.path(), &raw));
  reader.reset(raw);
#endif
  return counter->types();
}

using Expected = std::map<std::string, int>;

void ExpectAllFound(const TestDb& db) {
  for (const auto& [key, expected] : SomeRows()) {
    std::string value;
    ASSERT_TRUE(db->Get({}, key, &value).ok()) << key;
    ASSERT_EQ(value, expected);
  }
}

// The number of 1000 absent keys that filters reject.
uint64_t Rejected(TestDb* db) {
  db->ResetStatistics();
  std::string value;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(100000 + i) + "x";
    EXPECT_TRUE((*db)->Get({}, key, &value).IsNotFound());
  }
  return db->ReadsFiltered();
}

std::string LogOf(const TestDb& db) {
  std::ifstream file(db.path() + "/LOG");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

rocksdb::Options WithDynamicLevels(PolicyPtr policy) {
  rocksdb::Options options = DbOptions(std::move(policy));
  options.level_compaction_dynamic_level_bytes = true;
  return options;
}

double BitsPerKey(const TestDb& db) {
  const auto table = db.OnlyTable();
  return LevelFile{table->num_filter_entries, table->filter_size}
      .bits_per_key();
}

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
        // RocksDB makes Bloom filters in flushed files.
        {"ribbon", "", "bloom", "ribbon"},
        {"ribbon", "cassandra", "bloom", "cassandra"}}) {
    SCOPED_TRACE(std::string(filter) + " " + bottommost);
    TestDb db(WithDynamicLevels(PolicyOf(Types(filter, bottommost))));
    db.Put(SomeRows());
    db.Flush();
    EXPECT_EQ(TypesIn(db), (Expected{{in_flush, 1}}));
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
    db.Compact();
    EXPECT_EQ(TypesIn(db), (Expected{{in_compaction, 1}}));
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
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
  EXPECT_EQ(TypesIn(db), (Expected{{"cassandra", 1}}));
  EXPECT_NEAR(BitsPerKey(db), 23.845, 0.15);
  db.Compact();
  EXPECT_EQ(TypesIn(db), (Expected{{"ribbon", 1}}));
  EXPECT_LT(BitsPerKey(db), 7.2);
  ExpectAllFound(db);
  EXPECT_GT(Rejected(&db), 950u);
  EXPECT_NE(LogOf(db).find("cassandra_bloom:mix:10: bits per key in files of "
                           "level 0: 23.845"),
            std::string::npos);
  EXPECT_EQ(LogOf(db).find("the same everywhere"), std::string::npos);
  // The database opens again without us, and is filtered.
  db.Reopen(WithDynamicLevels(BuiltinPolicy()));
  ExpectAllFound(db);
  EXPECT_GT(Rejected(&db), 950u);
}

// Where levels have no sizes to go by, all files get the average.
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
      EXPECT_EQ(TypesIn(db), (Expected{{"ribbon", 1}}));
      EXPECT_LT(BitsPerKey(db), 7.6);
    }
    ExpectAllFound(db);
    EXPECT_GT(Rejected(&db), 950u);
  }
}

// Two databases share a policy. One of them has levels that monkey cannot
// count.
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

}  // namespace
}  // namespace cassandra_bloom::testing
