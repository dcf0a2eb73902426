// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

std::vector<double> BitsByLevel(const std::string& id,
                                std::optional<double> level_ratio = 10) {
  const PolicySettings settings = SettingsOf(id);
  EXPECT_EQ(settings.error, "");
  std::vector<double> bits;
  SstPlace place;
  place.num_levels = 7;
  place.level_ratio = level_ratio;
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
  EXPECT_EQ(BitsByLevel("cassandra_bloom:12:bottommost_bits:0"), Bits(7, 12));
}

// A level gets ln T / (ln 2)^2 more bits per key than the level below, where T
// is the ratio of levels.
TEST(PolicySettingsTest, MonkeyByLevel) {
  for (const char* const id :
       {"cassandra_bloom:10:allocation:monkey", "cassandra_bloom:mix:10",
        "cassandra_bloom:mix:10:filter:cassandra"}) {
    EXPECT_EQ(BitsByLevel(id),
              (Bits{23.845, 23.845, 23.845, 23.845, 19.053, 14.26, 9.467}));
    EXPECT_EQ(BitsByLevel(id, std::nullopt), Bits(7, 10));
  }
  EXPECT_EQ(BitsByLevel("cassandra_bloom:mix:12", 4),
            (Bits{25.416, 25.416, 22.58, 19.694, 16.809, 13.924, 11.038}));
}

TEST(PolicySettingsTest, EndsOfTheRangeOfMonkey) {
  for (const auto& [bits, is_right] : {std::pair("0", false),
                                       {"1.532", false},
                                       {"1.533", true},
                                       {"86.15", true},
                                       {"86.16", false},
                                       {"90", false}}) {
    SCOPED_TRACE(bits);
    const std::string mix = std::string("cassandra_bloom:mix:") + bits;
    EXPECT_EQ(SettingsOf(mix).error.empty(), is_right);
    const std::string monkey =
        std::string("cassandra_bloom:") + bits + ":allocation:monkey";
    EXPECT_EQ(SettingsOf(monkey).error.empty(), is_right);
  }
}

// For any ratio of levels, all levels get 1 to 100 bits per key.
TEST(PolicySettingsTest, MonkeyOfAnyLevelRatio) {
  for (const char* const average : {"1.533", "2", "10", "50", "86.15"}) {
    for (const double ratio : {2.0, 3.0, 4.0, 10.0, 100.0, 1000.0}) {
      SCOPED_TRACE(std::string(average) + ", " + std::to_string(ratio));
      const Bits bits =
          BitsByLevel(std::string("cassandra_bloom:mix:") + average, ratio);
      for (size_t level = 0; level < bits.size(); ++level) {
        EXPECT_GE(bits[level], 1) << level;
        EXPECT_LE(bits[level], 100) << level;
        EXPECT_TRUE(level == 0 || bits[level] <= bits[level - 1]) << level;
      }
    }
  }
}

// ---- mix is short for other options ----

TEST(PolicySettingsTest, MixIsShortForOtherOptions) {
  const struct {
    const char* text;
    const char* id;
  } cases[] = {
      {"cassandra_bloom:9:allocation:monkey:filter:bloom:bottommost_filter:"
       "ribbon:blocks:rocksdb",
       "cassandra_bloom:mix:9"},
      {"cassandra_bloom:9:allocation:monkey:bottommost_filter:ribbon:blocks:"
       "rocksdb",
       "cassandra_bloom:mix:9:filter:cassandra"},
      {"cassandra_bloom:9:allocation:monkey:filter:ribbon:blocks:rocksdb",
       "cassandra_bloom:mix:9:filter:ribbon"},
      {"cassandra_bloom:mix:9:filter:bloom", "cassandra_bloom:mix:9"},
      {"cassandra_bloom:filter:cassandra:mix:9:partition_key:whole",
       "cassandra_bloom:mix:9:filter:cassandra"},
      {"cassandra_bloom:9:allocation:monkey:bottommost_filter:bloom:blocks:"
       "rocksdb",
       "cassandra_bloom:9:allocation:monkey:bottommost_filter:bloom:blocks:"
       "rocksdb"},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.text);
    const PolicySettings settings = SettingsOf(expected.text);
    EXPECT_EQ(settings.error, "");
    EXPECT_EQ(settings.id, expected.id);
    const PolicySettings again = SettingsOf(settings.id);
    EXPECT_EQ(again.id, settings.id);
    EXPECT_EQ(again.filter, settings.filter);
    EXPECT_EQ(again.bottommost_filter, settings.bottommost_filter);
    EXPECT_TRUE(again.sizing.is_monkey);
    EXPECT_EQ(again.block_form, BlockForm::kBesideRocksdb);
  }
}

// The bits that the messages name for chances are Cassandra's.
TEST(PolicySettingsTest, BitsForChances) {
  for (const auto& [chance, bits] :
       {std::pair(0.1, 5.0), {0.01, 10}, {0.001, 15}, {0.0001, 20}}) {
    CassandraBloomOptions options;
    options.fp_chance = chance;
    EXPECT_EQ(Compile(options).sizing.For({})->bits_per_key(), bits);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
