// SPDX-License-Identifier: Apache-2.0

// Tests which bits per key a policy string gives to each level.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/policy/policy_string.h"

namespace cassandra_bloom::testing {
namespace {

std::vector<double> BitsByLevel(const std::string& id) {
  const PolicySettings settings = PolicyString(id).Settings();
  EXPECT_EQ(settings.error, "");
  std::vector<double> bits;
  SstPlace place;
  place.num_levels = 7;
  for (place.level = 0; place.level < place.num_levels; ++place.level) {
    const auto sizing = settings.sizing.For(place);
    bits.push_back(sizing ? sizing->bits_per_key() : 0);
  }
  return bits;
}

using Bits = std::vector<double>;

TEST(PolicySettingsTest, BitsByLevel) {
  EXPECT_EQ(BitsByLevel("cassandra_bloom:12"), Bits(7, 12));
  EXPECT_EQ(BitsByLevel("cassandra_bloom:level_bits:14,12,0.2,8"),
            (Bits{14, 12, 0, 8, 8, 8, 8}));
  EXPECT_EQ(BitsByLevel("cassandra_bloom:level_fp_chance:0.001,0.01"),
            (Bits{15, 10, 10, 10, 10, 10, 10}));
  EXPECT_EQ(BitsByLevel("cassandra_bloom:12:bottommost_bits:0"), Bits(7, 12));
}

// T is the size ratio of neighboring levels. A level gets ln T / (ln 2)^2 more
// bits per key than the level below.
TEST(PolicySettingsTest, MonkeyByLevel) {
  EXPECT_EQ(BitsByLevel("cassandra_bloom:10:allocation:monkey"),
            (Bits{23.845, 23.845, 23.845, 23.845, 19.053, 14.26, 9.467}));
  // An id does not contain the size_ratio 10, because 10 is the default, which
  // never changes.
  EXPECT_EQ(BitsByLevel("cassandra_bloom:10:allocation:monkey"),
            BitsByLevel("cassandra_bloom:10:allocation:monkey:size_ratio:10"));
  EXPECT_EQ(BitsByLevel("cassandra_bloom:12:allocation:monkey:size_ratio:4"),
            (Bits{25.416, 25.416, 22.58, 19.694, 16.809, 13.924, 11.038}));
  EXPECT_EQ(BitsByLevel("cassandra_bloom:12:allocation:monkey:size_ratio:4:"
                        "bottom_level:3"),
            (Bits{19.694, 16.809, 13.924, 11.038, 11.038, 11.038, 11.038}));
}

TEST(PolicySettingsTest, EndsOfRanges) {
  const auto is_right = [](const std::string& of_monkey) {
    return PolicyString("cassandra_bloom:10:allocation:monkey:" + of_monkey)
        .Settings()
        .error.empty();
  };
  for (const char* const right : {"size_ratio:2", "size_ratio:1000",
                                  "bottom_level:1", "bottom_level:100"}) {
    EXPECT_TRUE(is_right(right)) << right;
  }
  for (const char* const wrong :
       {"size_ratio:1.999", "size_ratio:1001", "bottom_level:101"}) {
    EXPECT_FALSE(is_right(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
