// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/in_place.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>

#include <limits>
#include <memory>
#include <string>

#include "plugin/policy/filter_bits_api.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;

// RocksDB builds no Ribbon filter for few keys.
constexpr size_t kEnoughForRibbon = 4000;

PolicyPtr MixInPlace(double bits) {
  return PolicyPtr(NewMixInPlaceOf(NewBloomFilterPolicy(bits), bits));
}

std::string BottommostBlock(const PolicyPtr& policy,
                            uint32_t format_version = 5,
                            bool is_partition_of_prefixes = false) {
  return BuildBlock(policy,
                    {ROCKSDB_NAMESPACE::kCompactionStyleLevel, 6,
                     /*is_bottommost=*/true, /*is_flush=*/false,
                     is_partition_of_prefixes, format_version},
                    kEnoughForRibbon);
}

TEST(InPlaceTest, Ours) {
  const PolicyPtr policy(NewOursInPlaceOf(NewBloomFilterPolicy(9.9), 9.9));
  EXPECT_EQ(policy->GetId(), "cassandra_bloom:9.9:blocks:rocksdb");
}

TEST(InPlaceTest, RocksdbStoresOfMixWhatItStoresOfItsOwn) {
  for (const double bits : {0.5, 9.9, 10.0, 1000.0}) {
    SCOPED_TRACE(bits);
    const PolicyPtr rocksdbs = BuiltinPolicy(bits);
    const PolicyPtr mix = MixInPlace(bits);
    EXPECT_STREQ(mix->Name(), rocksdbs->Name());
    EXPECT_STREQ(mix->CompatibilityName(), rocksdbs->CompatibilityName());
    EXPECT_EQ(mix->GetId(), rocksdbs->GetId());
    const rocksdb::ConfigOptions config;
    EXPECT_EQ(mix->ToString(config), rocksdbs->ToString(config));
    std::string mismatch;
    EXPECT_TRUE(mix->AreEquivalent(config, rocksdbs.get(), &mismatch));
    EXPECT_TRUE(rocksdbs->AreEquivalent(config, mix.get(), &mismatch));
    EXPECT_EQ(mismatch, "");
  }
}

TEST(InPlaceTest, MixBuildsItsFilters) {
  for (const double bits :
       {0.5, 9.9, 100.0, 1000.0, std::numeric_limits<double>::quiet_NaN()}) {
    SCOPED_TRACE(bits);
    const std::string block = BottommostBlock(MixInPlace(bits));
    EXPECT_EQ(TypeOf(block), "ribbon");
    EXPECT_LT(block.size(),
              BottommostBlock(BuiltinPolicy(bits)).size() * 4 / 5);
  }
}

TEST(InPlaceTest, MixLeavesSomeFiltersToRocksdb) {
  EXPECT_EQ(BottommostBlock(MixInPlace(10), 4),
            BottommostBlock(BuiltinPolicy(10), 4));
  EXPECT_EQ(BottommostBlock(MixInPlace(10), 5, true),
            BottommostBlock(BuiltinPolicy(10), 5, true));
  for (const double bits : {-1.0, 0.0, 0.3, 0.49}) {
    const auto* const rocksdbs = NewBloomFilterPolicy(bits);
    const PolicyPtr policy(NewMixInPlaceOf(rocksdbs, bits));
    EXPECT_EQ(policy.get(), rocksdbs);
  }
  EXPECT_EQ(NewMixInPlaceOf(nullptr, 10), nullptr);
}

TEST(InPlaceTest, MixReadsWhatMayBeInTheDatabase) {
  for (const PolicyPtr& policy :
       {BuiltinPolicy(10), MixInPlace(10), OurPolicyBesideRocksdb()}) {
    SCOPED_TRACE(policy->GetId());
    const std::string block = BottommostBlock(policy);
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader(
        MixInPlace(10)->GetFilterBitsReader(block));
    size_t false_positives = 0;
    for (size_t i = 0; i < kEnoughForRibbon; ++i) {
      EXPECT_TRUE(reader->MayMatch("key" + std::to_string(i))) << i;
      false_positives += reader->MayMatch("absent" + std::to_string(i)) ? 1 : 0;
    }
    EXPECT_LT(false_positives, kEnoughForRibbon / 30);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
