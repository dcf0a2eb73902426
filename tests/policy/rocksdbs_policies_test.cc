// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/rocksdbs_policies.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <clocale>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "tests/support/run_process.h"
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

// A block of RocksDB's has five bytes at its end. The first of them tells the
// type of its filter.
constexpr int kBloomByte = -1;
constexpr int kRibbonByte = -2;

std::string KeyOf(int i) { return "key" + std::to_string(i); }

std::string BlockOf(const FilterPolicy* policy) {
  BlockBasedTableOptions table_options;
  table_options.format_version = 5;
  FilterBuildingContext context(table_options);
  context.level_at_creation = 3;
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

int TypeByte(const std::string& block) { return block.at(block.size() - 5); }

TEST(RocksdbsPoliciesTest, OnePolicyForEachTypeAndNumberOfBits) {
  RocksdbsPolicies policies;
  const FilterPolicy* const bloom = policies.For(FilterType::kBloom, 9500);
  ASSERT_NE(bloom, nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_EQ(policies.For(FilterType::kBloom, 9500), bloom);
      EXPECT_NE(policies.For(FilterType::kBloom, 9501), bloom);
      EXPECT_NE(policies.For(FilterType::kRibbon, 9500), bloom);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
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

// RocksDB would read "9.5" as 9 there.
TEST(RocksdbsPoliciesTest, ADecimalCommaChangesNothing) {
  RocksdbsPolicies before;
  const std::string expected = BlockOf(before.For(FilterType::kBloom, 9500));
  const TempDir dir;
  const ProcessResult made = RunProcess({"/usr/bin/localedef", "-i", "de_DE",
                                         "-f", "UTF-8", dir / "de_DE.UTF-8"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  ASSERT_EQ(setenv("LOCPATH", dir.path().c_str(), /*overwrite=*/1), 0);
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  RocksdbsPolicies policies;
  EXPECT_EQ(BlockOf(policies.For(FilterType::kBloom, 9500)), expected);
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  std::setlocale(LC_ALL, locale.c_str());
  unsetenv("LOCPATH");
}

}  // namespace
}  // namespace cassandra_bloom::testing
