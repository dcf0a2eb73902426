// SPDX-License-Identifier: Apache-2.0

// Tests the statistics of a policy without a database.

#include "plugin/policy/statistics.h"

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::GetCassandraBloomStatisticsTotal;
using ROCKSDB_NAMESPACE::Slice;

using PolicyPtr = std::unique_ptr<const FilterPolicy>;

PolicyPtr OurPolicy() {
  return PolicyPtr(ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(10));
}

// Compares all statistics except the build time.
void ExpectFigures(const CassandraBloomStatistics& statistics,
                   uint64_t filters_built, uint64_t entries, uint64_t bytes,
                   uint64_t damaged_blocks) {
  EXPECT_EQ(statistics.filters_built, filters_built);
  EXPECT_EQ(statistics.entries, entries);
  EXPECT_EQ(statistics.bytes, bytes);
  EXPECT_EQ(statistics.match_all_filters, 0u);
  EXPECT_EQ(statistics.damaged_blocks, damaged_blocks);
}

void AddKeys(FilterBitsBuilder* builder, int count) {
  for (int i = 0; i < count; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
}

TEST(StatisticsTest, FiltersCountWhenTheyAreBuilt) {
  const PolicyPtr policy = OurPolicy();
  const auto builder = NewBuilder(*policy);
  AddKeys(builder.get(), 1000);
  AddKeys(builder.get(), 1);
  builder->AddKey("key0");  // A duplicate is no new entry.
  ExpectFigures(StatisticsOf(*policy), 0, 0, 0, 0);
  const uint64_t first = FinishBlock(builder.get()).size();
  ExpectFigures(StatisticsOf(*policy), 1, 1001, first, 0);
  AddKeys(builder.get(), 10);
  const uint64_t second = FinishBlock(builder.get()).size();
  ExpectFigures(StatisticsOf(*policy), 2, 1011, first + second, 0);
  const uint64_t empty = FinishBlock(builder.get()).size();
  ExpectFigures(StatisticsOf(*policy), 3, 1011, first + second + empty, 0);
  AddKeys(NewBuilder(*policy).get(), 10);
  ExpectFigures(StatisticsOf(*policy), 3, 1011, first + second + empty, 0);
}

TEST(StatisticsTest, DamagedBlocksCountWheneverTheyAreRead) {
  const PolicyPtr policy = OurPolicy();
  const auto builder = NewBuilder(*policy);
  AddKeys(builder.get(), 10);
  const std::string block = FinishBlock(builder.get());
  NewReader(*policy, block);
  ExpectFigures(StatisticsOf(*policy), 1, 10, block.size(), 0);
  NewReader(*policy, Slice(block.data(), block.size() - 1));
  NewReader(*policy, Slice(block.data(), block.size() - 1));
  ExpectFigures(StatisticsOf(*policy), 1, 10, block.size(), 2);
}

TEST(StatisticsTest, PoliciesCountForThemselvesAndInTheTotal) {
  const CassandraBloomStatistics before = GetCassandraBloomStatisticsTotal();
  uint64_t bytes = 0;
  for (const int num_keys : {7, 11}) {
    const PolicyPtr policy = OurPolicy();
    const auto builder = NewBuilder(*policy);
    AddKeys(builder.get(), num_keys);
    const std::string block = FinishBlock(builder.get());
    bytes += block.size();
    NewReader(*policy, "damaged");
    ExpectFigures(StatisticsOf(*policy), 1, static_cast<uint64_t>(num_keys),
                  block.size(), 1);
  }
  // The policies are destroyed, but the total still counts their filters.
  const CassandraBloomStatistics total = GetCassandraBloomStatisticsTotal();
  ExpectFigures(total, before.filters_built + 2, before.entries + 18,
                before.bytes + bytes, before.damaged_blocks + 2);
  EXPECT_GT(total.build_nanos, before.build_nanos);
}

TEST(StatisticsTest, NothingIsLostBetweenThreads) {
  constexpr int kThreads = 8;
  constexpr int kFilters = 5000;
  const PolicyPtr policy = OurPolicy();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const auto builder = NewBuilder(*policy);
      for (int i = 0; i < kFilters; ++i) {
        AddKeys(builder.get(), 3);
        FinishBlock(builder.get());
        if (i % 1000 == 0) {
          NewReader(*policy, "damaged");
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ExpectFigures(StatisticsOf(*policy), kThreads * kFilters,
                kThreads * kFilters * 3, kThreads * kFilters * 16,
                kThreads * kFilters / 1000);
}

// ---- Policies of other kinds ----

class NamedLikeOurs : public FilterPolicy {
 public:
  const char* Name() const override { return "cassandra_bloom"; }
  const char* NickName() const override { return "cassandra_bloom"; }
  const char* CompatibilityName() const override { return "cassandra_bloom"; }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return ours_->GetBuilderWithContext(context);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    return ours_->GetFilterBitsReader(contents);
  }

 protected:
  const PolicyPtr ours_ = OurPolicy();
};

class WrapperOfOurs final : public NamedLikeOurs {
 public:
  const Customizable* Inner() const override { return ours_.get(); }
};

TEST(StatisticsTest, OnlyOfPoliciesOfOurs) {
  const PolicyPtr builtin(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10));
  const PolicyPtr ribbon(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(10));
  const NamedLikeOurs like_ours;
  for (const FilterPolicy* const policy :
       {builtin.get(), ribbon.get(),
        static_cast<const FilterPolicy*>(&like_ours)}) {
    SCOPED_TRACE(policy->Name());
    CassandraBloomStatistics statistics;
    statistics.entries = 42;
    EXPECT_FALSE(GetCassandraBloomStatistics(*policy, &statistics));
    EXPECT_EQ(statistics.entries, 42u);
  }
  ROCKSDB_NAMESPACE::CassandraBloomOptions options;
  options.partition_key = "skip:8,u16";
  for (const FilterPolicy* const policy :
       {ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance(0.01),
        ROCKSDB_NAMESPACE::NewCassandraBloomPolicyFromOptions(options)}) {
    CassandraBloomStatistics statistics;
    EXPECT_TRUE(GetCassandraBloomStatistics(*PolicyPtr(policy), &statistics));
  }
}

TEST(StatisticsTest, AWrapperMayShowThoseOfWhatItWraps) {
  const WrapperOfOurs wrapper;
  const auto builder = NewBuilder(wrapper);
  AddKeys(builder.get(), 5);
  const size_t size = FinishBlock(builder.get()).size();
  ExpectFigures(StatisticsOf(wrapper), 1, 5, size, 0);
}

// ---- Statistics as text ----

TEST(StatisticsTest, ToStringHasALineForEach) {
  CassandraBloomStatistics statistics;
  EXPECT_EQ(statistics.ToString(),
            "Bloom filters built: 0\n"
            "Bloom filter entries built: 0\n"
            "Bloom filter space built: 0\n"
            "Bloom filter bits per entry: 0.00\n"
            "Bloom filter build time: 0.000 ms\n"
            "Bloom filters that match all: 0\n"
            "Bloom filter damaged blocks: 0\n"
            "Not counted: filters of RocksDB's own kinds\n");
  statistics.filters_built = 12;
  statistics.entries = 100000;
  statistics.bytes = 126300;
  statistics.build_nanos = 1002003004;
  statistics.match_all_filters = 3;
  statistics.damaged_blocks = 1ull << 63;
  EXPECT_EQ(statistics.ToString(),
            "Bloom filters built: 12\n"
            "Bloom filter entries built: 100000\n"
            "Bloom filter space built: 126300\n"
            "Bloom filter bits per entry: 10.10\n"
            "Bloom filter build time: 1002.003 ms\n"
            "Bloom filters that match all: 3\n"
            "Bloom filter damaged blocks: 9223372036854775808\n"
            "Not counted: filters of RocksDB's own kinds\n");
}

}  // namespace
}  // namespace cassandra_bloom::testing
