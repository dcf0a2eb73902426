// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

double BitsAt(const PolicySettings& settings, int level, bool is_bottommost) {
  const auto sizing = settings.sizing.For(level, is_bottommost);
  return sizing ? sizing->bits_per_key() : 0;
}

using Bits = std::vector<double>;

TEST(PolicySettingsTest, BitsByLevel) {
  const auto bits_by_level = [](const std::string& text) {
    const PolicySettings settings = SettingsOf(text);
    EXPECT_EQ(settings.error, "");
    Bits bits;
    for (int level = 0; level < 7; ++level) {
      bits.push_back(BitsAt(settings, level, false));
    }
    return bits;
  };
  EXPECT_EQ(bits_by_level("cassandra_bloom:12"), Bits(7, 12));
  EXPECT_EQ(bits_by_level("cassandra_bloom:level_bits:14,12,0.2,8"),
            (Bits{14, 12, 0, 8, 8, 8, 8}));
  EXPECT_EQ(bits_by_level("cassandra_bloom:12:bottommost_bits:0"), Bits(7, 12));
}

TEST(PolicySettingsTest, FilesOfNoKnownLevelAndBottommostOnes) {
  EXPECT_FALSE(PolicySettings().sizing.For(3, true));
  const PolicySettings list = SettingsOf("cassandra_bloom:level_bits:14,12,8");
  EXPECT_EQ(BitsAt(list, -1, false), 8);
  EXPECT_EQ(BitsAt(list, 1000000, false), 8);
  EXPECT_EQ(BitsAt(list, 1, true), 12);
  const PolicySettings bottommost =
      SettingsOf("cassandra_bloom:level_bits:14,12:bottommost_bits:6");
  EXPECT_EQ(BitsAt(bottommost, 0, false), 14);
  EXPECT_EQ(BitsAt(bottommost, 6, false), 12);
  EXPECT_EQ(BitsAt(bottommost, 1, true), 6);
  EXPECT_EQ(BitsAt(bottommost, -1, false), 6);
}

// Bottommost files get 0.6 bits fewer, and all others 7 bits more, each from 1
// to 100.
TEST(PolicySettingsTest, MixHasTwoClasses) {
  const struct {
    const char* mix;
    double bottommost;
    double others;
  } cases[] = {{"1", 1, 8},       {"1.533", 1, 8.533},  {"1.7", 1.1, 8.7},
               {"10", 9.4, 17},   {"10.0004", 9.4, 17}, {"86.15", 85.55, 93.15},
               {"100", 99.4, 100}};
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.mix);
    for (const char* const filter : {"", ":filter:cassandra"}) {
      const PolicySettings settings = SettingsOf(
          std::string("cassandra_bloom:mix:") + expected.mix + filter);
      EXPECT_EQ(settings.error, "");
      for (const int level : {0, 1, 6}) {
        EXPECT_EQ(BitsAt(settings, level, true), expected.bottommost);
        EXPECT_EQ(BitsAt(settings, level, false), expected.others);
      }
      EXPECT_EQ(BitsAt(settings, -1, false), expected.bottommost);
    }
  }
}

// A file of options may be damaged.
TEST(PolicySettingsTest, ALongStringIsRefused) {
  std::string text = "cassandra_bloom";
  for (int i = 0; i < 30000; ++i) {
    text += ":bits";
  }
  EXPECT_EQ(SettingsOf(text).id, text);
  EXPECT_NE(SettingsOf(text).error.find("'bits' is not a number"),
            std::string::npos);
}

}  // namespace
}  // namespace cassandra_bloom::testing
