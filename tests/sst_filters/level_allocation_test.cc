// SPDX-License-Identifier: Apache-2.0

// Tests MonkeyBits, which finds the bits per key with the smallest sum of false
// positive rates. Compares the result with a slow search for the minimum.

#include "tools/sst_filters/doctor/filters/level_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::tools {
namespace {

using Runs = std::vector<double>;

double BitsOf(const Runs& keys, const Runs& bits) {
  double sum = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    sum += keys[i] * bits[i];
  }
  return sum;
}

double SumOfRates(const Runs& bits) {
  double sum = 0;
  for (const double b : bits) {
    sum += BestRate(b);
  }
  return sum;
}

// Finds the minimum in small steps. Each step adds bits where the sum of the
// rates then falls most. This finds the minimum because the rates are convex
// functions.
Runs BruteForce(const Runs& keys, double total_bits) {
  constexpr int kSteps = 40000;
  const double step = total_bits / kSteps;
  Runs bits(keys.size(), 0);
  for (int i = 0; i < kSteps; ++i) {
    size_t best = 0;
    double best_gain = -1;
    for (size_t run = 0; run < keys.size(); ++run) {
      const double gain =
          BestRate(bits[run]) - BestRate(bits[run] + step / keys[run]);
      if (gain > best_gain) {
        best = run;
        best_gain = gain;
      }
    }
    bits[best] += step / keys[best];
  }
  return bits;
}

TEST(LevelAllocationTest, BestRate) {
  EXPECT_DOUBLE_EQ(BestRate(0), 1);
  EXPECT_NEAR(BestRate(10), 0.00819, 0.00001);
}

// Four levels, each with ten times the keys of the level above, at 10 bits per
// key on average. The last level must get 9.5 bits per key.
TEST(LevelAllocationTest, MonkeyOfFourLevels) {
  const Runs keys = {1e3, 1e4, 1e5, 1e6};
  const double total = 10 * 1111e3;
  const Runs bits = MonkeyBits(keys, total);
  EXPECT_NEAR(BitsOf(keys, bits), total, 1e-3);
  EXPECT_NEAR(bits[3], 9.5, 0.05);
  const double ln2_squared = std::log(2.0) * std::log(2.0);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(bits[i] - bits[i + 1], std::log(10.0) / ln2_squared, 1e-9);
  }
  EXPECT_NEAR(4 * BestRate(10) / SumOfRates(bits), 2.8, 0.05);
}

TEST(LevelAllocationTest, EqualRunsGetTheSame) {
  for (const double b : MonkeyBits({5e4, 5e4, 5e4}, 15e5)) {
    EXPECT_NEAR(b, 10, 1e-9);
  }
}

TEST(LevelAllocationTest, TheLargestGetsNothingIfThereIsTooLittle) {
  const Runs keys = {1e2, 1e6};
  const Runs bits = MonkeyBits(keys, 1000);
  EXPECT_NEAR(bits[0], 10, 1e-9);
  EXPECT_EQ(bits[1], 0);
  EXPECT_EQ(MonkeyBits(keys, 0), (Runs{0, 0}));
}

TEST(LevelAllocationTest, ARunWithoutKeysNeedsNoBits) {
  const Runs bits = MonkeyBits({0, 100}, 1000);
  EXPECT_EQ(bits[0], 0);
  EXPECT_NEAR(bits[1], 10, 1e-9);
}

TEST(LevelAllocationTest, EqualsBruteForce) {
  SCOPED_TRACE(cassandra_bloom::testing::Seed());
  std::mt19937_64 random(cassandra_bloom::testing::Seed());
  std::uniform_int_distribution<size_t> num_runs(1, 6);
  std::uniform_real_distribution<double> log_keys(0, 6);
  std::uniform_real_distribution<double> bits_per_key(0.1, 16);
  for (int i = 0; i < 60; ++i) {
    Runs keys(num_runs(random));
    double all_keys = 0;
    for (double& n : keys) {
      n = std::round(std::pow(10, log_keys(random)));
      all_keys += n;
    }
    const double total = bits_per_key(random) * all_keys;
    const Runs bits = MonkeyBits(keys, total);
    EXPECT_NEAR(BitsOf(keys, bits), total, 1e-9 * total);
    EXPECT_TRUE(
        std::all_of(bits.begin(), bits.end(), [](double b) { return b >= 0; }));
    const double best = SumOfRates(bits);
    const double brute = SumOfRates(BruteForce(keys, total));
    EXPECT_LE(best, brute * (1 + 1e-9));
    // The search does not find the exact minimum, because its steps are too
    // large for the smallest runs.
    EXPECT_NEAR(best, brute, 0.02 * brute + 1e-6);
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
