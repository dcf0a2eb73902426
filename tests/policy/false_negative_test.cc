// SPDX-License-Identifier: Apache-2.0

// Tests the false positive rate.

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/sizing.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;

struct RateCase {
  double bits_per_key;
  double tolerance;
};

class FalsePositiveRateTest : public ::testing::TestWithParam<RateCase> {};

TEST_P(FalsePositiveRateTest, IsTheExpectedOne) {
  SCOPED_TRACE(Seed());
  constexpr uint64_t kKeys = 1000000;
  constexpr uint64_t kAbsent = 10000000;
  const std::unique_ptr<const FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(GetParam().bits_per_key));
  // Each key ends with its number, so no absent key equals a present key.
  const auto key_of = [](uint64_t number, std::string* key) {
    RandomKeys(Seed(), 15).Make(number, key);
    key->append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  const auto builder = NewBuilder(*policy);
  std::string key;
  for (uint64_t i = 0; i < kKeys; ++i) {
    key_of(i, &key);
    builder->AddKey(key);
  }
  const std::string block = FinishBlock(builder.get());
  const auto reader = NewReader(*policy, block);
  uint64_t false_positives = 0;
  for (uint64_t i = 0; i < kAbsent; ++i) {
    key_of(kKeys + i, &key);
    false_positives += reader->MayMatch(key);
  }
  ParsedFilter filter;
  ASSERT_TRUE(ParseFilterDb(block.data(), block.size(), &filter));
  const double expected = FalsePositiveRate(
      filter.num_probes, kKeys, static_cast<double>(filter.capacity_bits()));
  const double measured =
      static_cast<double>(false_positives) / static_cast<double>(kAbsent);
  std::printf("%g bits per key: %.5f %% measured, %.5f %% expected: %+.2f %%\n",
              GetParam().bits_per_key, 100 * measured, 100 * expected,
              100 * (measured / expected - 1));
  EXPECT_NEAR(measured / expected, 1, GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    BitsPerKey, FalsePositiveRateTest,
    ::testing::Values(RateCase{8, 0.03}, RateCase{10, 0.03}, RateCase{12, 0.03},
                      RateCase{16, 0.10}),
    [](const auto& test) {
      return std::to_string(static_cast<int>(test.param.bits_per_key));
    });

}  // namespace
}  // namespace cassandra_bloom::testing
