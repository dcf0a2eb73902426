// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/in_place.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <limits>
#include <memory>
#include <string>

#include "plugin/policy/filter_bits_api.h"
#include "tests/policy/policy_probe.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;

// RocksDB builds no Ribbon filter for few keys.
constexpr int kEnoughForRibbon = 4000;

PolicyPtr Rocksdbs(double bits) {
  return PolicyPtr(NewBloomFilterPolicy(bits));
}
PolicyPtr Mix(double bits) {
  return PolicyPtr(NewMixInPlaceOf(NewBloomFilterPolicy(bits), bits));
}

BlockBasedTableOptions NewestFormat() {
  BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = false;  // Keeps sizes exact.
  return table;
}

std::string BottommostBlock(const FilterPolicy& policy,
                            const BlockBasedTableOptions& table) {
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
  context.level_at_creation = 6;
  context.is_bottommost = true;
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    return "no filter";
  }
  for (int i = 0; i < kEnoughForRibbon; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
  std::unique_ptr<const char[]> buffer;
  ROCKSDB_NAMESPACE::Status status;
  return builder->Finish(&buffer, &status).ToString();
}

TEST(InPlaceTest, Ours) {
  const PolicyPtr policy(NewOursInPlaceOf(NewBloomFilterPolicy(9.9), 9.9));
  EXPECT_EQ(policy->GetId(), "cassandra_bloom:9.9:blocks:rocksdb");
}

TEST(InPlaceTest, RocksdbStoresOfMixWhatItStoresOfItsOwn) {
  for (const double bits : {0.5, 9.9, 10.0, 1000.0}) {
    SCOPED_TRACE(bits);
    const PolicyPtr rocksdbs = Rocksdbs(bits);
    const PolicyPtr mix = Mix(bits);
    EXPECT_STREQ(mix->Name(), rocksdbs->Name());
    EXPECT_STREQ(mix->CompatibilityName(), rocksdbs->CompatibilityName());
    EXPECT_EQ(mix->GetId(), rocksdbs->GetId());
    for (const ConfigOptions& config : AllConfigOptions()) {
      SCOPED_TRACE(ToString(config));
      EXPECT_EQ(mix->ToString(config), rocksdbs->ToString(config));
      std::string mismatch;
      EXPECT_TRUE(mix->AreEquivalent(config, rocksdbs.get(), &mismatch));
      EXPECT_TRUE(rocksdbs->AreEquivalent(config, mix.get(), &mismatch));
      EXPECT_EQ(mismatch, "");
    }
  }
}

TEST(InPlaceTest, MixBuildsItsFilters) {
  for (const double bits :
       {0.5, 9.9, 100.0, 1000.0, std::numeric_limits<double>::quiet_NaN()}) {
    SCOPED_TRACE(bits);
    const std::string block = BottommostBlock(*Mix(bits), NewestFormat());
    EXPECT_EQ(block[block.size() - 5], '\xfe') << "not a Ribbon filter";
    const std::string bloom = BottommostBlock(*Rocksdbs(bits), NewestFormat());
    EXPECT_LT(block.size(), bloom.size() * 4 / 5);
  }
}

TEST(InPlaceTest, MixLeavesSomeFiltersToRocksdb) {
  BlockBasedTableOptions old_format = NewestFormat();
  old_format.format_version = 4;
  BlockBasedTableOptions partitions_of_prefixes = NewestFormat();
  partitions_of_prefixes.partition_filters = true;
  partitions_of_prefixes.whole_key_filtering = false;
  for (const auto& table : {old_format, partitions_of_prefixes}) {
    EXPECT_EQ(BottommostBlock(*Mix(10), table),
              BottommostBlock(*Rocksdbs(10), table));
  }
  for (const double bits : {-1.0, 0.0, 0.3, 0.49}) {
    const FilterPolicy* const rocksdbs = NewBloomFilterPolicy(bits);
    const PolicyPtr policy(NewMixInPlaceOf(rocksdbs, bits));
    EXPECT_EQ(policy.get(), rocksdbs);
  }
  EXPECT_EQ(NewMixInPlaceOf(nullptr, 10), nullptr);
}

TEST(InPlaceTest, MixReadsWhatMayBeInTheDatabase) {
  const PolicyPtr policies[] = {
      Rocksdbs(10), Mix(10),
      PolicyPtr(ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb(10))};
  for (const PolicyPtr& policy : policies) {
    SCOPED_TRACE(policy->GetId());
    const std::string block = BottommostBlock(*policy, NewestFormat());
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader(
        Mix(10)->GetFilterBitsReader(block));
    int false_positives = 0;
    for (int i = 0; i < kEnoughForRibbon; ++i) {
      EXPECT_TRUE(reader->MayMatch("key" + std::to_string(i))) << i;
      false_positives += reader->MayMatch("absent" + std::to_string(i)) ? 1 : 0;
    }
    EXPECT_LT(false_positives, kEnoughForRibbon / 30);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
