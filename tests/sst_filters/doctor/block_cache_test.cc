// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says where filters are in the block cache. A
// strict cache drops a filter that is larger than a shard, without an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>

#include <string>

#include "tests/sst_filters/doctor/doctor_checks.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

rocksdb::BlockBasedTableOptions InCache(size_t capacity, bool is_strict,
                                        Layout layout = Layout::kFullCached) {
  rocksdb::BlockBasedTableOptions table = TableOptions(OurPolicy(), layout);
  table.block_cache =
      rocksdb::NewLRUCache(capacity, /*num_shard_bits=*/0, is_strict);
  return table;
}

constexpr size_t kFilterOf20000Keys = 25'000;

TEST(DoctorBlockCacheTest, AStrictCacheDropsTheFilter) {
  for (const size_t capacity :
       {kFilterOf20000Keys - 1000, kFilterOf20000Keys + 40'000}) {
    for (const bool is_strict : {true, false}) {
      SCOPED_TRACE(std::to_string(capacity) + (is_strict ? " strict" : ""));
      TestDb db(DbOptions(InCache(capacity, is_strict)));
      AddFile(&db, 0, 20000);
      const bool is_dropped = is_strict && capacity < kFilterOf20000Keys;
      EXPECT_EQ(DeniedOf100(&db) > 0, !is_dropped);
      const std::string text = Exits(is_dropped ? 3 : 0, Doctor(db, "")).out;
      EXPECT_THAT(text,
                  HasSubstr(is_dropped ? "\nnot known whether RocksDB uses the "
                                         "filter of every SST file, as the "
                                         "block cache may drop the largest"
                                       : "\nall is well: "));
      if (is_dropped) {
        EXPECT_THAT(text, HasSubstr("  not known: filters are in the block "
                                    "cache, and the largest has 25 KB: the "
                                    "cache of 24 KB in 1 shard has "
                                    "strict_capacity_limit, and drops it\n"));
      }
    }
  }
}

// Partitions are in the cache, whatever the options say. They are small. A full
// filter in the table reader is not in the cache.
TEST(DoctorBlockCacheTest, PartitionsAndFiltersOutsideOfTheCache) {
  for (const Layout layout : {Layout::kPartitioned, Layout::kFull}) {
    const size_t capacity = layout == Layout::kFull ? 20'000 : 60'000;
    TestDb db(DbOptions(InCache(capacity, /*is_strict=*/true, layout)));
    AddFile(&db, 0, 20000);
    EXPECT_GT(DeniedOf100(&db), 0U);
    Exits(0, Doctor(db));
  }
}

// Without a LOG, a filter of more than the smallest shard that RocksDB makes
// may be dropped.
TEST(DoctorBlockCacheTest, NoLog) {
  for (const uint32_t keys : {20'000U, 500'000U}) {
    TestDb db(DbOptions(InCache(64 << 20, /*is_strict=*/false)));
    AddFile(&db, 0, keys);
    RemoveFiles(db, "LOG");
    const bool may_be_dropped = keys > 400'000;
    const Ran ran = Exits(may_be_dropped ? 3 : 0, Doctor(db));
    const Json reasons = FamilyOf(ran)["reasons"];
    EXPECT_EQ(reasons.size(), may_be_dropped ? 1U : 0U) << reasons;
    if (may_be_dropped) {
      EXPECT_EQ(reasons.front()["use"], "may_be_dropped");
      EXPECT_THAT(reasons.dump(),
                  HasSubstr("LOG does not say how large the cache is"));
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
