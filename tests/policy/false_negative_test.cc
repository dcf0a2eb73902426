// SPDX-License-Identifier: Apache-2.0

// Tests that filters have no false negatives, and tests the false positive
// rate.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/block_layout.h"
#include "plugin/filter/sizing.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

constexpr uint32_t kMaxKeyLength = 300;

uint64_t CountMatches(FilterBitsReader* reader, const RandomKeys& keys,
                      uint64_t first, uint64_t count) {
  std::string key;
  uint64_t matches = 0;
  for (uint64_t i = first; i < first + count; ++i) {
    keys.Make(i, &key);
    matches += reader->MayMatch(key);
  }
  return matches;
}

uint64_t CountMatchesInBatches(FilterBitsReader* reader, const RandomKeys& keys,
                               uint64_t first, uint64_t count) {
  constexpr uint64_t kBatch = 50;
  std::vector<std::string> bytes(kBatch);
  std::vector<Slice> slices(kBatch);
  std::vector<Slice*> pointers(kBatch);
  bool may_match[kBatch];
  uint64_t matches = 0;
  for (uint64_t done = 0; done < count; done += kBatch) {
    const uint64_t n = std::min(kBatch, count - done);
    for (uint64_t i = 0; i < n; ++i) {
      keys.Make(first + done + i, &bytes[i]);
      slices[i] = bytes[i];
      pointers[i] = &slices[i];
    }
    reader->MayMatch(static_cast<int>(n), pointers.data(), may_match);
    for (uint64_t i = 0; i < n; ++i) {
      matches += may_match[i];
    }
  }
  return matches;
}

std::string BuildBlock(const FilterPolicy& policy, const RandomKeys& keys,
                       uint64_t count) {
  const auto builder = NewBuilder(policy);
  std::string key;
  for (uint64_t i = 0; i < count; ++i) {
    keys.Make(i, &key);
    builder->AddKey(key);
  }
  return FinishBlock(builder.get());
}

TEST(FalseNegativeTest, NoneInTwentyMillion) {
  SCOPED_TRACE(Seed());
  constexpr uint64_t kSizes[] = {1,    2,     3,     10,    31,   32,
                                 33,   100,   999,   1000,  4094, 4095,
                                 4096, 10000, 50000, 200000};
  std::vector<double> all_bits = {1.001, 1.5, 9.5, 9.999, 12.345, 33.3, 100};
  for (int bits = 1; bits <= 20; ++bits) {
    all_bits.push_back(bits);
  }
  uint64_t checked = 0;
  uint64_t round = 0;
  const auto check = [&](double bits, uint64_t size) {
    const std::unique_ptr<const FilterPolicy> policy(
        ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(bits));
    const RandomKeys keys(Seed() + ++round, kMaxKeyLength);
    const std::string block = BuildBlock(*policy, keys, size);
    const auto reader = NewReader(*policy, block);
    ASSERT_EQ(CountMatches(reader.get(), keys, 0, size), size)
        << bits << " bits per key, " << size << " keys";
    ASSERT_EQ(CountMatchesInBatches(reader.get(), keys, 0, size), size)
        << bits << " bits per key, " << size << " keys, in batches";
    checked += 2 * size;
  };
  for (const double bits : all_bits) {
    for (const uint64_t size : kSizes) {
      ASSERT_NO_FATAL_FAILURE(check(bits, size));
    }
  }
  for (const double bits : {1.0, 10.0, 12.345}) {
    ASSERT_NO_FATAL_FAILURE(check(bits, 2000000));
  }
  std::printf("%llu present keys checked\n",
              static_cast<unsigned long long>(checked));
  EXPECT_GE(checked, 20000000u);
}

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
