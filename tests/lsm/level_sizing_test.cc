// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/level_sizing.h"

#include <gtest/gtest.h>

namespace cassandra_bloom::testing {
namespace {

LevelSizing ListOf(std::initializer_list<double> bits) {
  LevelSizing sizing;
  sizing.levels.clear();
  for (const double b : bits) {
    sizing.levels.push_back(SizingForBitsPerKey(b));
  }
  return sizing;
}

double BitsAt(const LevelSizing& sizing, int level, bool is_bottommost) {
  const auto found = sizing.For(level, is_bottommost);
  return found ? found->bits_per_key() : 0;
}

TEST(LevelSizingTest, NoneByDefault) {
  EXPECT_FALSE(LevelSizing().For(3, false));
  EXPECT_FALSE(LevelSizing().For(-1, true));
}

TEST(LevelSizingTest, TheLastOfAListRepeats) {
  const LevelSizing sizing = ListOf({14, 12, 0, 8});
  const double expected[] = {14, 12, 0, 8, 8, 8, 8};
  for (const bool is_bottommost : {false, true}) {
    for (int level = 0; level < 7; ++level) {
      EXPECT_EQ(BitsAt(sizing, level, is_bottommost), expected[level]) << level;
    }
    EXPECT_EQ(BitsAt(sizing, -1, is_bottommost), 8);
    EXPECT_EQ(BitsAt(sizing, 1000000, is_bottommost), 8);
  }
}

TEST(LevelSizingTest, BottommostGoesBeforeTheList) {
  LevelSizing sizing = ListOf({14, 12});
  sizing.has_bottommost = true;
  sizing.bottommost = SizingForBitsPerKey(6);
  EXPECT_EQ(BitsAt(sizing, 0, false), 14);
  EXPECT_EQ(BitsAt(sizing, 6, false), 12);
  EXPECT_EQ(BitsAt(sizing, 1, true), 6);
  EXPECT_EQ(BitsAt(sizing, -1, false), 6);
  sizing.bottommost = std::nullopt;
  EXPECT_FALSE(sizing.For(1, true));
}

}  // namespace
}  // namespace cassandra_bloom::testing
