// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plugin/filter/filter_db_layout.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr uint64_t kMaxUint64 = std::numeric_limits<uint64_t>::max();

TEST(SizingTest, WholeBitsPerKeyAreCassandrasBuckets) {
  // Cassandra's BloomCalculations.computeBloomSpec(b).K for b = 1 to 20.
  constexpr int kNumProbes[] = {1, 1, 2, 3,  3,  4,  5,  6,  6,  7,
                                8, 8, 9, 10, 10, 11, 12, 12, 13, 14};
  for (int buckets = 1; buckets <= 20; ++buckets) {
    const auto sizing = SizingForBitsPerKey(buckets);
    ASSERT_TRUE(sizing);
    EXPECT_EQ(sizing->millibits_per_key, 1000 * buckets);
    EXPECT_EQ(sizing->num_probes, kNumProbes[buckets - 1]) << buckets;
  }
}

// Results that Cassandra's computeBloomSpec(20, fp_chance) returned. A chance
// equal to a rate in Cassandra's table gives the sizing of this rate, and the
// next smaller number another one.
TEST(SizingTest, FpChanceIsCassandras) {
  const auto below = [](double rate) { return std::nextafter(rate, 0); };
  const struct {
    double fp_chance;
    int num_probes;
    int buckets;
  } cases[] = {{0.9999, 2, 1},
               {0.5, 2, 1},
               {0.393, 2, 1},
               {0.3929, 1, 3},
               {0.2, 2, 4},
               {0.1, 3, 5},
               {0.05, 3, 7},
               {0.02, 4, 9},
               {0.01, 5, 10},
               {0.005, 5, 12},
               {0.001, 7, 15},
               {0.0005, 10, 16},
               {0.0001, 10, 20},
               {7e-5, 13, 20},
               {0.0000671, 14, 20},
               {0.237, 2, 3},
               {below(0.237), 1, 4},
               {0.092, 3, 5},
               {below(0.092), 2, 6},
               {0.00819, 7, 10},
               {below(0.00819), 5, 11},
               {0.000744, 10, 15},
               {below(0.000744), 7, 16},
               {6.79e-5, 13, 20},
               {below(6.79e-5), 14, 20}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.fp_chance);
    const auto sizing = SizingForFpChance(c.fp_chance);
    ASSERT_TRUE(sizing);
    EXPECT_EQ(sizing->num_probes, c.num_probes);
    EXPECT_EQ(sizing->millibits_per_key, 1000 * c.buckets);
  }
}

TEST(SizingTest, EveryBitsPerKeyHasAnAnswer) {
  for (const double bits : {-kInfinity, -1e300, -1.0, -0.0, 0.0, 0.4999}) {
    EXPECT_FALSE(SizingForBitsPerKey(bits)) << bits;
  }
  for (const double bits : {0.5, 0.7, 1.0}) {
    EXPECT_EQ(SizingForBitsPerKey(bits)->millibits_per_key, 1000) << bits;
  }
  for (const double bits : {100.0, 100.1, 1e300, kInfinity, kNan}) {
    EXPECT_EQ(SizingForBitsPerKey(bits)->millibits_per_key, 100000) << bits;
    EXPECT_EQ(SizingForBitsPerKey(bits)->num_probes, 20) << bits;
  }
  EXPECT_EQ(SizingForBitsPerKey(9.5)->millibits_per_key, 9500);
  EXPECT_EQ(SizingForBitsPerKey(9.5)->num_probes, 7);
  EXPECT_EQ(SizingForBitsPerKey(9.9996)->millibits_per_key, 10000);
  EXPECT_EQ(SizingForBitsPerKey(25)->num_probes, 17);
}

TEST(SizingTest, EveryFpChanceHasAnAnswer) {
  for (const double fp_chance : {1.0, 2.0, 1e300, kInfinity}) {
    EXPECT_FALSE(SizingForFpChance(fp_chance)) << fp_chance;
  }
  for (const double fp_chance : {6.7e-5, 1e-9, 0.0, -1.0, -kInfinity, kNan}) {
    EXPECT_EQ(SizingForFpChance(fp_chance)->num_probes, 14) << fp_chance;
    EXPECT_EQ(SizingForFpChance(fp_chance)->millibits_per_key, 20000);
  }
}

TEST(SizingTest, FractionalBitsTakeTheProbesWithTheLowestRate) {
  for (int32_t millibits = 1001; millibits <= 100000; millibits += 37) {
    if (millibits % 1000 == 0) {
      continue;
    }
    const double bits = millibits / 1000.0;
    const auto sizing = SizingForBitsPerKey(bits);
    ASSERT_EQ(sizing->millibits_per_key, millibits);
    const double rate = FalsePositiveRate(sizing->num_probes, 1, bits);
    for (int num_probes = 1; num_probes <= kMaxProbes; ++num_probes) {
      EXPECT_LE(rate, FalsePositiveRate(num_probes, 1, bits)) << bits;
    }
  }
}

TEST(SizingTest, WordsAreCassandras) {
  // For n keys, a filter of Cassandra has ((n * buckets + 20 - 1) >> 6) + 1
  // words.
  for (const int buckets : {1, 2, 10, 20}) {
    const Sizing sizing = *SizingForBitsPerKey(buckets);
    for (uint64_t n = 0; n < 10000; ++n) {
      const uint64_t bits = n * static_cast<uint64_t>(buckets) + 20;
      ASSERT_EQ(sizing.NumWords(n), ((bits - 1) >> 6) + 1) << n;
    }
  }
  const Sizing sizing = *SizingForBitsPerKey(9.5);
  EXPECT_EQ(sizing.NumWords(1000), (9500u + 20 + 63) / 64);
  EXPECT_EQ(sizing.NumWords(3), (29u + 20 + 63) / 64);  // 28.5 bits, rounded up
}

TEST(SizingTest, WordsEndAtCassandrasLimit) {
  const Sizing sizing = *SizingForBitsPerKey(10);
  const uint64_t most = sizing.MaxKeys(kMaxFilterWords);
  EXPECT_EQ(most, (64ull * kMaxFilterWords - 20) / 10);
  EXPECT_EQ(sizing.NumWords(most), kMaxFilterWords);
  EXPECT_EQ(sizing.NumWords(most + 1), kMaxFilterWords);
  EXPECT_EQ(sizing.NumWords(kMaxUint64), kMaxFilterWords);
}

TEST(SizingTest, MaxKeysIsTheInverseOfNumWords) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  for (const double bits : {1.0, 1.5, 9.5, 10.0, 12.345, 20.0, 33.3, 100.0}) {
    const Sizing sizing = *SizingForBitsPerKey(bits);
    EXPECT_EQ(sizing.MaxKeys(0), 0u);
    for (uint64_t i = 0; i < 100000; ++i) {
      const auto words = static_cast<uint32_t>(
          i < 1000 ? 1 + i : 1 + NextRandom(&random) % (kMaxFilterWords - 1));
      const uint64_t most = sizing.MaxKeys(words);
      ASSERT_LE(sizing.NumWords(most), words) << bits;
      ASSERT_GT(sizing.NumWords(most + 1), words) << bits;
    }
  }
}

TEST(SizingTest, AFilterWithoutRoomMatchesEverything) {
  const Sizing sizing = *SizingForBitsPerKey(10);
  for (const size_t size : {0u, 8u, 15u}) {
    EXPECT_EQ(sizing.ExpectedRate(1, size), 1) << size;
  }
  EXPECT_EQ(sizing.ExpectedRate(kMaxUint64, 1000), 1);
  EXPECT_EQ(sizing.FilterSize(kMaxUint64), FilterDbSize(kMaxFilterWords));
}

TEST(SizingTest, FalsePositiveRate) {
  EXPECT_NEAR(FalsePositiveRate(7, 1000, 10000), 0.00819, 0.00001);
  EXPECT_EQ(FalsePositiveRate(7, 0, 10000), 0);
  EXPECT_EQ(FalsePositiveRate(7, 1000, 0), 1);
  EXPECT_EQ(FalsePositiveRate(0, 1000, 10000), 1);
  EXPECT_EQ(FalsePositiveRate(7, kInfinity, 10000), 1);
}

}  // namespace
}  // namespace cassandra_bloom::testing
