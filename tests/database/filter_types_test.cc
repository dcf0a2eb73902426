// SPDX-License-Identifier: Apache-2.0

// Tests which filter each file gets from `filter` and `bottommost_filter`.

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
    TestDb db(DbOptions(PolicyOf(Types(filter, bottommost))));
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

TEST(FilterTypesTest, RocksdbsFiltersHaveTheBitsOfTheirPlace) {
  CassandraBloomOptions options = Types("bloom", "");
  options.level_bits = {16, 12};
  options.bottommost_bits = 6;
  TestDb db(DbOptions(PolicyOf(options)));
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 16, 0.3);
  db.Compact();
  EXPECT_NEAR(BitsPerKey(db), 6, 0.3);
}

}  // namespace
}  // namespace cassandra_bloom::testing
