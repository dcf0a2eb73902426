// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/filter_questions.h"

#include <gtest/gtest.h>

#include <string>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom::tools {
namespace {

// Builds a filter. `make` is FilterDbBuilder::ForBitsPerKey or ForFpChance.
template <typename Make>
FilterFill Build(Make make, double size, uint64_t expected, uint64_t num_keys) {
  std::string error;
  const auto builder = make(size, expected, kNaAndLater, &error);
  EXPECT_NE(builder, nullptr) << error;
  for (uint64_t i = 0; i < num_keys; ++i) {
    builder->Add("key " + std::to_string(i));
  }
  const ParsedFilter parsed{builder->num_probes(), builder->num_words(),
                            builder->bits()};
  return {parsed.num_probes, CountSetBits(parsed), parsed.capacity_bits()};
}

TEST(FilterFillTest, NotSaturatedByItsOwnKeys) {
  for (const uint64_t n : {1U, 3U, 11U, 44U, 108U, 1000U, 20000U}) {
    SCOPED_TRACE(n);
    for (const double bits : {1.0, 1.5, 2.0, 2.1, 2.9, 3.0, 3.5, 3.7, 4.0, 5.0,
                              7.0, 10.0, 16.0, 20.0, 40.0, 100.0}) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForBitsPerKey, bits, n, n).is_saturated())
          << bits;
    }
    for (const double chance :
         {0.0000671, 0.001, 0.01, 0.1, 0.2, 0.3, 0.39, 0.4, 0.7, 0.99}) {
      EXPECT_FALSE(
          Build(FilterDbBuilder::ForFpChance, chance, n, n).is_saturated())
          << chance;
    }
  }
}

TEST(FilterFillTest, Rate) {
  EXPECT_NEAR(Build(FilterDbBuilder::ForBitsPerKey, 12.5, 10000, 10000).rate(),
              0.0025, 0.0005);
  EXPECT_EQ(FilterFill().rate(), 1);
}

TEST(FilterFillTest, SaturatedByTooManyKeys) {
  for (const double bits : {4.0, 7.0, 10.0}) {
    EXPECT_TRUE(Build(FilterDbBuilder::ForBitsPerKey, bits, 10000, 30000)
                    .is_saturated())
        << bits;
  }
  // At 20 bits per key, a filter with twice the expected keys is still good,
  // because only 0.3 % of absent keys pass.
  EXPECT_FALSE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 20000).is_saturated());
  EXPECT_TRUE(
      Build(FilterDbBuilder::ForBitsPerKey, 20, 10000, 40000).is_saturated());
}

TEST(FilterFillTest, SaturatedByAllBits) {
  for (const int num_probes : {1, 2, 3, 20}) {
    EXPECT_TRUE((FilterFill{num_probes, 64, 64}.is_saturated()));
    EXPECT_FALSE((FilterFill{num_probes, 0, 64}.is_saturated()));
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
