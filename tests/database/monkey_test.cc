// SPDX-License-Identifier: Apache-2.0

// Compares allocation=monkey with equal bits per key in all levels, in the same
// memory.
//
// The environment variable CASSANDRA_BLOOM_PERCENT=100 makes 20 million keys
// instead of 100,000.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/sizing.h"
#include "tests/support/percent.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/level_files.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr double kAverage = 10;

uint64_t NumKeys() {
  return Percent() ? 200000 * std::max<uint64_t>(1, *Percent()) : 100000;
}

// Present keys have even numbers, and absent keys have odd numbers.
std::string KeyOf(uint64_t number) { return RandomKeyOf16(number); }

// Three levels below level 0, each ten times as large as the level above.
rocksdb::Options FourLevels(const std::string& allocation, double bits_per_key,
                            uint64_t num_keys) {
  rocksdb::CassandraBloomOptions policy;
  policy.bits_per_key = bits_per_key;
  policy.allocation = allocation;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(
      rocksdb::NewCassandraBloomPolicyFromOptions(policy));
  rocksdb::Options options = DbOptions(table);
  options.disable_auto_compactions = false;
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = num_keys / 5;
  options.target_file_size_base = num_keys / 20;
  options.max_bytes_for_level_base = num_keys / 2;
  options.max_bytes_for_level_multiplier = 10;
  return options;
}

void WaitForCompactions(const TestDb& db) {
  for (uint64_t busy = 1; busy != 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    busy = 0;
    for (const char* const property :
         {"rocksdb.compaction-pending", "rocksdb.num-running-compactions",
          "rocksdb.num-running-flushes"}) {
      uint64_t value = 0;
      EXPECT_TRUE(db->GetIntProperty(property, &value));
      busy += value;
    }
  }
}

void Put(const TestDb& db, uint64_t num_keys, uint64_t step) {
  rocksdb::WriteOptions without_log;
  without_log.disableWAL = true;
  for (uint64_t i = 0; i < num_keys; i += step) {
    Require(db->Put(without_log, KeyOf(2 * i), "a value of 16 B."));
  }
  Require(db->Flush(rocksdb::FlushOptions()));
}

// Puts all keys and waits for compactions. Then adds two small files to level
// 0, because level 0 usually has about two files.
void Fill(const TestDb& db, uint64_t num_keys) {
  Put(db, num_keys, 1);
  WaitForCompactions(db);
  Require(db->SetOptions({{"disable_auto_compactions", "true"}}));
  Put(db, num_keys, 1000);
  Put(db, num_keys, 999);
}

struct Measured {
  uint64_t filter_bytes = 0;
  uint64_t bytes_of_average = 0;  // Filter bytes at kAverage bits per key.
  uint64_t runs = 0;
  double false_positives = 0;  // Per look-up of an absent key.
  double lookups_per_second = 0;
};

void PrintLevel(int level, const std::vector<LevelFile>& files,
                Measured* measured) {
  LevelFile all = {};
  for (const LevelFile& file : files) {
    all.keys += file.keys;
    all.filter_bytes += file.filter_bytes;
    measured->bytes_of_average +=
        SizingForBitsPerKey(kAverage)->FilterSize(file.keys);
  }
  std::printf("  level %d: %4zu files %10" PRIu64 " keys %10" PRIu64
              " filter bytes, %.2f bits per key\n",
              level, files.size(), all.keys, all.filter_bytes,
              all.bits_per_key());
  measured->filter_bytes += all.filter_bytes;
  measured->runs += level == 0 ? files.size() : 1;
}

void ExpectFound(const TestDb& db, uint64_t num_keys) {
  std::string value;
  for (uint64_t i = 0; i < num_keys; i += 10) {
    ASSERT_TRUE(db->Get({}, KeyOf(2 * i), &value).ok()) << i;
  }
}

Measured Measure(const std::string& allocation, double bits_per_key,
                 uint64_t num_keys) {
  TestDb db(FourLevels(allocation, bits_per_key, num_keys));
  Fill(db, num_keys);
  Measured measured;
  std::printf("%s, %.3f bits per key\n", allocation.c_str(), bits_per_key);
  for (const auto& [level, files] : FilesByLevel(db)) {
    PrintLevel(level, files, &measured);
  }
  ExpectFound(db, num_keys);
  db.ResetStatistics();
  const uint64_t num_absent = std::max<uint64_t>(num_keys / 10, 50000);
  std::string value;
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < num_absent; ++i) {
    if (!db->Get({}, KeyOf(2 * i + 1), &value).IsNotFound()) {
      ADD_FAILURE() << "an absent key was found: " << i;
    }
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  measured.false_positives =
      static_cast<double>(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE)) /
      static_cast<double>(num_absent);
  measured.lookups_per_second =
      static_cast<double>(num_absent) / seconds.count();
  std::printf("  %" PRIu64 " runs, %" PRIu64
              " filter bytes; %.4f false positives in a lookup of an absent "
              "key; %.0f such lookups a second\n",
              measured.runs, measured.filter_bytes, measured.false_positives,
              measured.lookups_per_second);
  return measured;
}

TEST(MonkeyTest, FewerFalsePositivesInTheSameMemory) {
  const uint64_t num_keys = NumKeys();
  std::printf("%" PRIu64 " keys\n", num_keys);
  const Measured monkey = Measure("monkey", kAverage, num_keys);
  // The filters may take more memory than planned, because files that RocksDB
  // moves down unchanged keep their larger filters.
  const double excess = static_cast<double>(monkey.filter_bytes) /
                        static_cast<double>(monkey.bytes_of_average);
  EXPECT_LE(excess, 1.05);
  const Measured uniform = Measure("uniform", kAverage * excess, num_keys);
  const double bytes = static_cast<double>(monkey.filter_bytes) /
                       static_cast<double>(uniform.filter_bytes);
  const double rate = monkey.false_positives / uniform.false_positives;
  std::printf(
      "monkey / uniform: %.4f of the filter bytes, %.3f of the false "
      "positives, %.2f of the lookups per second\n",
      bytes, rate, monkey.lookups_per_second / uniform.lookups_per_second);
  EXPECT_GE(uniform.runs, 4u);
  // The number of files in small levels depends on the timing of compactions.
  const bool is_large = num_keys >= 20000000;
  EXPECT_NEAR(bytes, 1, is_large ? 0.02 : 0.06);
  EXPECT_LE(rate, is_large ? 0.45 : 0.65);
}

}  // namespace
}  // namespace cassandra_bloom::testing
