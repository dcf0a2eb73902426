// SPDX-License-Identifier: Apache-2.0

// Measures memory and false positives in databases of many shapes, with
// allocation=monkey and with `mix`. Prints the table of docs/policy.md.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/sizing.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/level_files.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr double kAverage = 10;
constexpr int kLastLevel = 6;
constexpr int kNumAbsent = 50000;

// LOG promises filters of at most kMostExcess times the average size. The
// promise holds if the last level has kRatioInLog times the keys of all other
// levels.
constexpr double kMostExcess = 1.02;
constexpr double kRatioInLog = 18.6;

struct Shape {
  const char* name;
  // A level and the number of keys in each of its files. The last level is
  // first.
  std::vector<std::pair<int, std::vector<uint64_t>>> levels;
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
};

std::vector<uint64_t> Files(size_t number, uint64_t keys) {
  return std::vector<uint64_t>(number, keys);
}

std::vector<Shape> Shapes() {
  return {
      {"10,000 keys in one file of level 0", {{0, {10000}}}},
      {"10,000 keys in the last level", {{6, {10000}}}},
      {"level 0 with 20 files, nothing below", {{0, Files(20, 5000)}}},
      {"the same, as many keys in the last level",
       {{6, {100000}}, {0, Files(20, 5000)}}},
      {"level 0 with 20 files, 20 times the keys in the last level",
       {{6, {200000}}, {0, Files(20, 500)}}},
      {"two levels, 10 times the keys in the last",
       {{6, {100000}}, {5, {10000}}}},
      {"two levels, twice the keys in the last", {{6, {40000}}, {5, {20000}}}},
      {"seven levels, each with 10 times the keys of the one above",
       {{6, {100000}},
        {5, {10000}},
        {4, {1000}},
        {3, {100}},
        {2, {10}},
        {1, {1}},
        {0, {1}}}},
      {"seven levels, each with 20,000 keys",
       {{6, {20000}},
        {5, {20000}},
        {4, {20000}},
        {3, {20000}},
        {2, {20000}},
        {1, {20000}},
        {0, {20000}}}},
      {"universal compaction, a large file and 4 small ones",
       {{6, {100000}}, {0, Files(4, 10000)}},
       rocksdb::kCompactionStyleUniversal},
  };
}

// Returns the keys in the last level divided by the keys in all other levels.
double RatioOf(const Shape& shape) {
  double last = 0;
  double others = 0;
  for (const auto& [level, files] : shape.levels) {
    for (const uint64_t keys : files) {
      (level == kLastLevel ? last : others) += static_cast<double>(keys);
    }
  }
  return others == 0 ? kRatioInLog : last / others;
}

// Present keys have even numbers, and absent keys have odd numbers.
void Fill(const Shape& shape, const TestDb& db) {
  rocksdb::WriteOptions without_log;
  without_log.disableWAL = true;
  uint64_t number = 0;
  for (const auto& [level, files] : shape.levels) {
    for (const uint64_t keys : files) {
      for (uint64_t i = 0; i < keys; ++i, number += 2) {
        Require(db->Put(without_log, RandomKeyOf16(number), "value"));
      }
      Require(db->Flush(rocksdb::FlushOptions()));
    }
    if (level > 0) {
      CompactLevel0To(level, db);
    }
  }
}

struct Measured {
  double excess = 0;           // Bytes of the filters / bytes at kAverage.
  double false_positives = 0;  // Per look-up of an absent key.
  std::string log;
};

void MeasureMemory(const Shape& shape, const TestDb& db, Measured* measured) {
  uint64_t bytes = 0;
  uint64_t promised = 0;
  const auto levels = FilesByLevel(db);
  EXPECT_EQ(levels.size(), shape.levels.size());
  for (const auto& [level, files] : levels) {
    for (const LevelFile& file : files) {
      bytes += file.filter_bytes;
      promised += SizingForBitsPerKey(kAverage)->FilterSize(file.keys);
    }
  }
  measured->excess = static_cast<double>(bytes) / static_cast<double>(promised);
}

Measured Measure(const Shape& shape,
                 const rocksdb::CassandraBloomOptions& policy) {
  rocksdb::Options options = WithDynamicLevels(PolicyOf(policy));
  options.compaction_style = shape.style;
  options.compression = rocksdb::kNoCompression;
  options.target_file_size_base = 1 << 30;
  options.max_compaction_bytes = uint64_t{1} << 40;
  TestDb db(options);
  Fill(shape, db);
  Measured measured;
  MeasureMemory(shape, db, &measured);
  measured.log = LogOf(db);
  db.ResetStatistics();
  std::string value;
  for (uint64_t i = 0; i < kNumAbsent; ++i) {
    EXPECT_TRUE(db->Get({}, RandomKeyOf16(2 * i + 1), &value).IsNotFound());
  }
  measured.false_positives =
      static_cast<double>(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE)) /
      kNumAbsent;
  return measured;
}

void ExpectAsInLog(const Shape& shape, const Measured& measured) {
  // The tolerance, because each filter is rounded up to whole 64-bit words.
  constexpr double kRounding = 0.01;
  if (shape.style != rocksdb::kCompactionStyleLevel) {
    EXPECT_LE(measured.excess, 1 + kRounding);
    return;
  }
  EXPECT_LE(measured.excess, 2.3845 + kRounding);
  if (RatioOf(shape) >= kRatioInLog) {
    EXPECT_LE(measured.excess, kMostExcess + kRounding);
  }
  EXPECT_NE(measured.log.find("; on average 10.000 if each level has 10 times "
                              "the keys of the one above"),
            std::string::npos);
  EXPECT_NE(measured.log.find("at most 10.200 once the last level has 18.6 "
                              "times the keys of all others"),
            std::string::npos);
}

TEST(AverageTest, OfLevelsOfAnySize) {
  const rocksdb::CassandraBloomOptions uniform;
  rocksdb::CassandraBloomOptions monkey;
  monkey.allocation = "monkey";
  rocksdb::CassandraBloomOptions mix;
  mix.allocation = "monkey";
  mix.filter = "bloom";
  mix.bottommost_filter = "ribbon";
  mix.blocks = "rocksdb";
  std::printf(
      "| database | false positives, uniform | monkey: memory | false "
      "positives "
      "| mix: memory | false positives |\n|---|---:|---:|---:|---:|---:|\n");
  for (const Shape& shape : Shapes()) {
    SCOPED_TRACE(shape.name);
    const Measured even = Measure(shape, uniform);
    const Measured by_level = Measure(shape, monkey);
    const Measured mixed = Measure(shape, mix);
    std::printf("| %s | %.4f | %.2f | %.4f | %.2f | %.4f |\n", shape.name,
                even.false_positives, by_level.excess, by_level.false_positives,
                mixed.excess, mixed.false_positives);
    std::fflush(stdout);
    EXPECT_NEAR(even.excess, 1, 1e-9);
    ExpectAsInLog(shape, by_level);
    ExpectAsInLog(shape, mixed);
    EXPECT_LE(mixed.excess, by_level.excess + 0.01);
    // The limits are above 1, because all keys may be in the last level. The
    // filters of the last level have only 9.467 bits per key, not 10.
    EXPECT_LE(by_level.false_positives, 1.45 * even.false_positives);
    EXPECT_LE(mixed.false_positives, 1.65 * even.false_positives);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
