// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/level_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DBOptions;

ColumnFamilyOptions Dynamic(double multiplier) {
  ColumnFamilyOptions options;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_bytes_for_level_multiplier = multiplier;
  return options;
}

ColumnFamilyOptions Static(double multiplier) {
  ColumnFamilyOptions options = Dynamic(multiplier);
  options.level_compaction_dynamic_level_bytes = false;
  return options;
}

TEST(LevelRatioTest, AnyMultiplierGivesARatioFrom2To1000) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [multiplier, expected] : {std::pair(0.0, 2.0),
                                             {-4, 2},
                                             {1, 2},
                                             {1.5, 2},
                                             {1.999, 2},
                                             {2, 2},
                                             {2.5, 2.5},
                                             {4, 4},
                                             {10, 10},
                                             {1000, 1000},
                                             {1001, 1000},
                                             {1e300, 1000},
                                             {NAN, 2},
                                             {kInfinity, 2},
                                             {-kInfinity, 2}}) {
    SCOPED_TRACE(multiplier);
    EXPECT_EQ(LevelRatioOf(multiplier), expected);
    LevelRatio ratio;
    ratio.See(DBOptions(), Dynamic(multiplier));
    EXPECT_EQ(ratio.Get(), expected);
  }
}

TEST(LevelRatioTest, IsNotKnownBeforeAnOpen) {
  const LevelRatio ratio;
  EXPECT_EQ(ratio.Get(), std::nullopt);
}

TEST(LevelRatioTest, TheSmallestOfSeveralCounts) {
  LevelRatio ratio;
  for (const auto& [multiplier, smallest] :
       {std::pair(10.0, 10.0), {4, 4}, {8, 4}, {1000, 4}, {3, 3}}) {
    ratio.See(DBOptions(), Dynamic(multiplier));
    EXPECT_EQ(ratio.Get(), smallest);
  }
}

TEST(LevelRatioTest, OtherCompactionsDoNotCount) {
  for (const auto style : {ROCKSDB_NAMESPACE::kCompactionStyleUniversal,
                           ROCKSDB_NAMESPACE::kCompactionStyleFIFO,
                           ROCKSDB_NAMESPACE::kCompactionStyleNone}) {
    LevelRatio ratio;
    ColumnFamilyOptions other = Static(2);
    other.compaction_style = style;
    ratio.See(DBOptions(), other);
    EXPECT_EQ(ratio.Get(), std::nullopt);
    ratio.See(DBOptions(), Dynamic(10));
    EXPECT_EQ(ratio.Get(), 10);
  }
}

TEST(LevelRatioTest, NoneOnceLevelsAreFilledFromTheFirst) {
  LevelRatio ratio;
  ratio.See(DBOptions(), Static(10));
  EXPECT_EQ(ratio.Get(), std::nullopt);
  ratio.See(DBOptions(), Dynamic(10));
  EXPECT_EQ(ratio.Get(), std::nullopt);
}

// With several paths, RocksDB switches dynamic levels off.
TEST(LevelRatioTest, SeveralPathsAreStaticLevels) {
  DBOptions two;
  two.db_paths = {{"one", 1 << 30}, {"two", 1 << 30}};
  LevelRatio of_database;
  of_database.See(two, Dynamic(10));
  EXPECT_EQ(of_database.Get(), std::nullopt);

  ColumnFamilyOptions family = Dynamic(10);
  family.cf_paths = {{"one", 1 << 30}};
  LevelRatio of_one;
  of_one.See(two, family);
  EXPECT_EQ(of_one.Get(), 10);
  family.cf_paths = two.db_paths;
  LevelRatio of_family;
  of_family.See(DBOptions(), family);
  EXPECT_EQ(of_family.Get(), std::nullopt);
}

}  // namespace
}  // namespace cassandra_bloom::testing
