// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <gtest/gtest.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr int kNumKeys = 10000;

// A filter block of RocksDB ends with five bytes. The first of these bytes
// tells the type of the filter.
constexpr int kBloomByte = -1;
constexpr int kRibbonByte = -2;

std::string KeyOf(int i) { return "key" + std::to_string(i); }

struct Place {
  int level = 3;
  bool is_bottommost = false;
  bool optimize_for_memory = false;
};

std::string BlockOf(const FilterPolicy* policy, const Place& place = {}) {
  BlockBasedTableOptions table_options;
  table_options.format_version = 5;
  table_options.optimize_filters_for_memory = place.optimize_for_memory;
  FilterBuildingContext context(table_options);
  context.level_at_creation = place.level;
  context.is_bottommost = place.is_bottommost;
  context.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  for (int i = 0; i < kNumKeys; ++i) {
    builder->AddKey(KeyOf(i));
  }
  std::unique_ptr<const char[]> buffer;
  Status status;
  return builder->Finish(&buffer, &status).ToString();
}

int TypeByte(const std::string& block) {
  return static_cast<signed char>(block.at(block.size() - 5));
}

TEST(RocksdbsPoliciesTest, FourThreadsGetTheSamePolicies) {
  constexpr int kThreads = 4;
  constexpr int kPolicies = 20000;
  RocksdbsPolicies policies;
  std::atomic<int> num_ready{0};
  std::vector<std::vector<const FilterPolicy*>> got(kThreads);
  std::vector<std::thread> threads;
  for (auto& of_thread : got) {
    threads.emplace_back([&, mine = &of_thread] {
      ++num_ready;
      while (num_ready < kThreads) {
        std::this_thread::yield();
      }
      for (int i = 0; i < kPolicies; ++i) {
        mine->push_back(policies.For(FilterType::kRibbon, 1000 + i));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& policies_of_thread : got) {
    EXPECT_EQ(policies_of_thread, got.front());
  }
}

TEST(RocksdbsPoliciesTest, TypesAndSizes) {
  RocksdbsPolicies policies;
  const std::string bloom = BlockOf(policies.For(FilterType::kBloom, 9500));
  EXPECT_EQ(TypeByte(bloom), kBloomByte);
  EXPECT_NEAR(static_cast<double>(bloom.size()) * 8 / kNumKeys, 9.5, 0.1);
  const std::string ribbon = BlockOf(policies.For(FilterType::kRibbon, 9500));
  EXPECT_EQ(TypeByte(ribbon), kRibbonByte);
  EXPECT_LT(ribbon.size(), bloom.size() * 3 / 4);
}

TEST(RocksdbsPoliciesTest, ReadsEachType) {
  RocksdbsPolicies policies;
  for (const FilterType type : {FilterType::kBloom, FilterType::kRibbon}) {
    const std::string block = BlockOf(policies.For(type, 10000));
    const std::unique_ptr<FilterBitsReader> reader(policies.NewReader(block));
    ASSERT_NE(reader, nullptr);
    int false_positives = 0;
    for (int i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(reader->MayMatch(Slice(KeyOf(i)))) << i;
      false_positives += reader->MayMatch(Slice(KeyOf(i) + "absent")) ? 1 : 0;
    }
    EXPECT_LT(false_positives, kNumKeys / 30);
  }
}

// RocksDB's Bloom policy would make its old filter below format_version 5. Its
// Ribbon policies make Ribbon filters in FIFO compaction and without a level.
TEST(RocksdbsPoliciesTest, BloomIsTheNewBloomFilterEverywhere) {
  RocksdbsPolicies policies;
  const std::string expected = BlockOf(policies.For(FilterType::kBloom, 9500));
  for (const uint32_t format_version : {2u, 4u, 5u}) {
    for (const auto style : {ROCKSDB_NAMESPACE::kCompactionStyleLevel,
                             ROCKSDB_NAMESPACE::kCompactionStyleUniversal,
                             ROCKSDB_NAMESPACE::kCompactionStyleFIFO,
                             ROCKSDB_NAMESPACE::kCompactionStyleNone}) {
      for (const int level : {-1, 0, 6}) {
        BlockBasedTableOptions table_options;
        table_options.format_version = format_version;
        FilterBuildingContext context(table_options);
        context.compaction_style = style;
        context.level_at_creation = level;
        const std::unique_ptr<FilterBitsBuilder> builder(
            policies.NewBuilder(FilterType::kBloom, 9500, context));
        for (int i = 0; i < kNumKeys; ++i) {
          builder->AddKey(KeyOf(i));
        }
        std::unique_ptr<const char[]> buffer;
        Status status;
        EXPECT_EQ(builder->Finish(&buffer, &status).ToString(), expected);
      }
    }
  }
}

// ---- Through our policy ----

std::unique_ptr<FilterPolicy> PolicyOf(const std::string& text) {
  EXPECT_EQ(SettingsOf(text).error, "");
  return std::make_unique<CassandraBloomPolicy>(text);
}

// RocksDB's builders have pointers into our policy, so our policy must outlive
// them. The writer of a file has a copy of the table options, which own our
// policy.
TEST(RocksdbsPoliciesTest, WhoeverBuildsKeepsThePolicy) {
  const TempDir dir;
  std::shared_ptr<const FilterPolicy> policy =
      PolicyOf("cassandra_bloom:10:filter:ribbon:blocks:rocksdb");
  const std::weak_ptr<const FilterPolicy> watched = policy;
  ROCKSDB_NAMESPACE::Options options;
  SetFilterPolicy(std::move(policy), &options);
  {
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(),
                                            options);
    ASSERT_TRUE(writer.Open(dir / "file.sst").ok());
    options = ROCKSDB_NAMESPACE::Options();
    ASSERT_TRUE(writer.Put("key", "value").ok());
    EXPECT_FALSE(watched.expired());
    ASSERT_TRUE(writer.Finish().ok());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace cassandra_bloom::testing
