// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/level_sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

double BitsAt(const LevelSizing& sizing, const SstPlace& place) {
  const auto found = sizing.For(place);
  return found ? found->bits_per_key() : 0;
}

SstPlace Level(int level, int num_levels = 7) {
  SstPlace place;
  place.level = level;
  place.num_levels = num_levels;
  place.level_ratio = 10;
  return place;
}

SstPlace Bottommost(int level) {
  SstPlace place = Level(level);
  place.is_bottommost = true;
  return place;
}

LevelSizing ListOf(const std::vector<double>& bits) {
  LevelSizing sizing;
  sizing.levels.clear();
  for (const double b : bits) {
    sizing.levels.push_back(SizingForBitsPerKey(b));
  }
  return sizing;
}

TEST(LevelSizingTest, NoneByDefault) {
  EXPECT_TRUE(LevelSizing().IsUniform());
  EXPECT_FALSE(LevelSizing().For(Level(3)));
}

TEST(LevelSizingTest, TheLastOfAListRepeats) {
  const LevelSizing sizing = ListOf({14, 12, 0, 8});
  EXPECT_FALSE(sizing.IsUniform());
  const double expected[] = {14, 12, 0, 8, 8, 8, 8};
  for (int level = 0; level < 7; ++level) {
    EXPECT_EQ(BitsAt(sizing, Level(level)), expected[level]) << level;
    EXPECT_EQ(BitsAt(sizing, Bottommost(level)), expected[level]) << level;
  }
  EXPECT_EQ(BitsAt(sizing, Level(-1, -1)), 8);
  EXPECT_EQ(BitsAt(sizing, Level(1000000, -1)), 8);
}

TEST(LevelSizingTest, BottommostGoesBeforeTheList) {
  LevelSizing sizing = ListOf({14, 12});
  sizing.has_bottommost = true;
  sizing.bottommost = SizingForBitsPerKey(6);
  EXPECT_EQ(BitsAt(sizing, Level(0)), 14);
  EXPECT_EQ(BitsAt(sizing, Level(6)), 12);
  EXPECT_EQ(BitsAt(sizing, Bottommost(1)), 6);
  EXPECT_EQ(BitsAt(sizing, Level(-1)), 6);
  sizing.bottommost = std::nullopt;
  EXPECT_FALSE(sizing.For(Bottommost(1)));
}

LevelSizing Monkey(double average) {
  LevelSizing sizing = ListOf({average});
  sizing.is_monkey = true;
  return sizing;
}

// Each level has ln 10 / (ln 2)^2 = 4.7925 bits per key more than the next
// deeper level. The last level has 10 - 4.7925 / 9 bits per key, so that the
// average of all levels is 10.
TEST(LevelSizingTest, MonkeyOfTenBits) {
  const LevelSizing sizing = Monkey(10);
  EXPECT_FALSE(sizing.IsUniform());
  EXPECT_EQ(BitsAt(sizing, Level(6)), 9.467);
  EXPECT_EQ(BitsAt(sizing, Level(5)), 14.26);
  EXPECT_EQ(BitsAt(sizing, Level(4)), 19.053);
  EXPECT_EQ(BitsAt(sizing, Level(3)), 23.845);
  for (const int level : {2, 1, 0}) {
    EXPECT_EQ(BitsAt(sizing, Level(level)), 23.845);
  }
  EXPECT_EQ(BitsAt(sizing, Bottommost(3)), 9.467);
  for (const int num_levels : {-1, 7}) {
    EXPECT_EQ(BitsAt(sizing, Level(-1, num_levels)), 10);
  }
  EXPECT_EQ(BitsAt(sizing, Level(2, -1)), 9.467);
}

// A level gets at most ln 1000 / (ln 2)^2 = 14.3776 bits per key more than the
// last level.
TEST(LevelSizingTest, MonkeyStopsAtAThousandthOfTheFalsePositives) {
  for (const double level_ratio : {2.0, 4.0, 100.0}) {
    const MonkeyAllocation monkey = {12, level_ratio};
    const double most = monkey.BottomBitsPerKey() + 14.3776;
    EXPECT_NEAR(monkey.MostBitsPerKey(), most, 0.001);
    const double levels = std::log(1000) / std::log(level_ratio);
    EXPECT_LT(monkey.BitsPerKey(static_cast<int>(levels)), most);
    EXPECT_NEAR(monkey.BitsPerKey(static_cast<int>(levels) + 1), most, 0.001);
    EXPECT_NEAR(monkey.BitsPerKey(1000), most, 0.001);
  }
}

TEST(LevelSizingTest, MonkeyGivesEachLevel1To100Bits) {
  const MonkeyAllocation least = {2, 2};
  EXPECT_EQ(least.BottomBitsPerKey(), 1);
  EXPECT_NEAR(least.BitsPerKey(1), 1 + 1.4427, 0.0001);
  EXPECT_NEAR(least.RealAverage(), 1 + 1.4427, 0.0001);
  EXPECT_EQ((MonkeyAllocation{86.15, 1000}).MostBitsPerKey(), kMaxBitsPerKey);
  EXPECT_NEAR((MonkeyAllocation{12, 4}).RealAverage(), 12, 1e-9);
}

TEST(LevelSizingTest, TheRangeOfMonkeysAverageIsThatOf10TimesTheKeys) {
  constexpr double kThousandth = 0.001;
  const MonkeyAllocation below = {kLeastMonkeyAverage - kThousandth, 10};
  EXPECT_GT(below.RealAverage(), below.average_bits_per_key);
  const MonkeyAllocation least = {kLeastMonkeyAverage + kThousandth, 10};
  EXPECT_GE(least.BottomBitsPerKey(), 1);
  EXPECT_NEAR(least.RealAverage(), least.average_bits_per_key, 1e-9);
  EXPECT_LT((MonkeyAllocation{kMostMonkeyAverage, 10}).MostBitsPerKey(), 100);
  EXPECT_EQ(
      (MonkeyAllocation{kMostMonkeyAverage + kThousandth, 10}).MostBitsPerKey(),
      100);
}

TEST(LevelSizingTest, MonkeyIsTheAverageWhereLevelsAreNoRuns) {
  for (int level = -1; level < 7; ++level) {
    SstPlace place = Level(level);
    place.level_ratio = std::nullopt;
    EXPECT_EQ(BitsAt(Monkey(10), place), 10);
  }
}

// Returns the expected false positives of one absent key in all levels. Sets
// *mean_bits to the mean bits per key.
double Rate(const std::vector<double>& keys, const std::vector<double>& bits,
            double* mean_bits) {
  double rate = 0;
  double all_keys = 0;
  *mean_bits = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    rate += std::exp(-bits[i] * std::log(2) * std::log(2));
    *mean_bits += keys[i] * bits[i];
    all_keys += keys[i];
  }
  *mean_bits /= all_keys;
  return rate;
}

// Each of four levels has `level_ratio` times as many keys as the level above.
// Other bits per key with the same mean must give more false positives.
TEST(LevelSizingTest, MonkeyIsTheBestOfItsMean) {
  std::mt19937_64 random(20260101);
  for (const double level_ratio : {2.0, 4.0, 8.0, 10.0}) {
    SCOPED_TRACE(level_ratio);
    const MonkeyAllocation monkey = {12, level_ratio};
    std::vector<double> keys, bits;
    for (int above = 0; above < 4; ++above) {
      keys.push_back(std::pow(level_ratio, -above));
      bits.push_back(monkey.BitsPerKey(above));
    }
    double mean = 0;
    const double best = Rate(keys, bits, &mean);
    EXPECT_LE(mean, 12);
    // The mean is below 12, because there are no levels above these four.
    EXPECT_GT(mean, level_ratio > 2 ? 11.9 : 11);
    std::uniform_real_distribution<double> change(-2, 2);
    for (int i = 0; i < 10000; ++i) {
      std::vector<double> other = bits;
      for (double& b : other) {
        b += change(random);
      }
      double other_mean = 0;
      Rate(keys, other, &other_mean);
      for (double& b : other) {
        b += mean - other_mean;
      }
      ASSERT_GE(Rate(keys, other, &other_mean), best * (1 - 1e-9));
    }
  }
}

TEST(LevelSizingTest, MonkeyOfFourLevelsHasAThirdOfTheFalsePositives) {
  const MonkeyAllocation monkey = {10, 10};
  std::vector<double> keys, bits;
  for (int above = 0; above < 4; ++above) {
    keys.push_back(std::pow(10, -above));
    bits.push_back(monkey.BitsPerKey(above));
  }
  double mean = 0;
  const double rate = Rate(keys, bits, &mean);
  const double uniform = Rate(keys, {mean, mean, mean, mean}, &mean);
  EXPECT_NEAR(uniform / rate, 2.8, 0.05);
}

}  // namespace
}  // namespace cassandra_bloom::testing
