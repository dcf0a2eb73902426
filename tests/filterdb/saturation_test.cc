// SPDX-License-Identifier: Apache-2.0

// A filter that was sized for its keys is never called saturated.

#include "tools/sstable/health/saturation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::tools {
namespace {

struct Filled {
  int num_probes;
  uint64_t set_bits;
  uint64_t capacity_bits;

  bool saturated() const {
    return IsSaturated(num_probes, set_bits, capacity_bits);
  }
};

// Makes a filter for `expected` keys and adds `num_keys` keys. `make` is
// FilterDbBuilder::ForBitsPerKey or ForFpChance.
template <typename Make>
Filled Build(Make make, double size, uint64_t expected, uint64_t num_keys) {
  std::string error;
  const auto builder = make(size, expected, kNaAndLater, &error);
  EXPECT_NE(builder, nullptr) << error;
  for (uint64_t i = 0; i < num_keys; ++i) {
    builder->Add("key " + std::to_string(i));
  }
  const size_t num_bytes = size_t{8} * builder->num_words();
  uint64_t set_bits = 0;
  for (size_t i = 0; i < num_bytes; ++i) {
    set_bits += static_cast<uint64_t>(
        __builtin_popcount(static_cast<unsigned char>(builder->bits()[i])));
  }
  return {builder->num_probes(), set_bits, 8 * num_bytes};
}

constexpr uint64_t kNumsOfKeys[] = {1, 3, 11, 44, 108, 1000, 20000};

TEST(SaturationTest, NotByItsOwnKeysAtAnyBitsPerKey) {
  for (const double bits : {1.0, 1.5, 2.0, 2.1, 2.9, 3.0, 3.5, 3.7, 4.0, 5.0,
                            7.0, 10.0, 16.0, 20.0, 40.0, 100.0}) {
    for (const uint64_t n : kNumsOfKeys) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForBitsPerKey, bits, n, n).saturated())
          << bits << " bits, " << n << " keys";
    }
  }
}

TEST(SaturationTest, NotByItsOwnKeysAtAnyFpChance) {
  for (const double chance :
       {0.0000671, 0.001, 0.01, 0.1, 0.2, 0.3, 0.39, 0.4, 0.7, 0.99}) {
    for (const uint64_t n : kNumsOfKeys) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForFpChance, chance, n, n).saturated())
          << chance << ", " << n << " keys";
    }
  }
}

TEST(SaturationTest, ByTooManyKeys) {
  for (const double bits : {4.0, 7.0, 10.0}) {
    EXPECT_TRUE(
        Build(FilterDbBuilder::ForBitsPerKey, bits, 10000, 30000).saturated())
        << bits;
  }
  // With the probes for 20 bits per key, a filter with twice the expected keys
  // is still good: 0.3 % of absent keys pass.
  EXPECT_FALSE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 20000).saturated());
  EXPECT_TRUE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 40000).saturated());
}

TEST(SaturationTest, ByAllBits) {
  for (const int num_probes : {1, 2, 3, 20}) {
    EXPECT_TRUE(IsSaturated(num_probes, 64, 64));
    EXPECT_FALSE(IsSaturated(num_probes, 0, 64));
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
