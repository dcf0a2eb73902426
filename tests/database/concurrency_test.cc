// Readers beside writes, flushes and compactions. What it can find it finds
// best under a thread or address sanitizer.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/database/dataset.h"
#include "tests/database/test_db.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

class ConcurrencyTest : public ::testing::TestWithParam<Layout> {};

TEST_P(ConcurrencyTest, ReadersFindWhatWasWritten) {
  constexpr auto kDuration = std::chrono::seconds(2);
  constexpr uint32_t kBatch = 500;
  constexpr size_t kMultiGetSize = 40;

  rocksdb::Options options = DbOptions(OurPolicy(), GetParam());
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 2;
  TestDb db(options);

  std::atomic<uint32_t> num_written{0};
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> num_reads{0};
  std::atomic<uint64_t> num_lost{0};
  std::atomic<uint64_t> num_phantoms{0};

  const auto count = [&](const std::string& key, bool is_present,
                         const rocksdb::Status& status,
                         const std::string& value) {
    ++num_reads;
    if (is_present && (!status.ok() || value != ValueOf(key))) {
      ++num_lost;
    }
    if (!is_present && !status.IsNotFound()) {
      ++num_phantoms;
    }
  };
  const auto read = [&](uint64_t seed) {
    uint64_t random = seed;
    while (!stop) {
      const uint32_t written = num_written;
      if (written == 0) {
        std::this_thread::yield();
        continue;
      }
      std::vector<std::string> keys;
      for (size_t i = 0; i < kMultiGetSize; ++i) {
        keys.push_back(
            NumberedKey(static_cast<uint32_t>(NextRandom(&random) % written)) +
            (i % 2 == 0 ? "" : "-"));
      }
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(keys.size());
      std::vector<rocksdb::Status> statuses(keys.size());
      db->MultiGet(rocksdb::ReadOptions(), db->DefaultColumnFamily(),
                   slices.size(), slices.data(), values.data(),
                   statuses.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        count(keys[i], i % 2 == 0, statuses[i], values[i].ToString());
        std::string value;
        const rocksdb::Status status =
            db->Get(rocksdb::ReadOptions(), keys[i], &value);
        count(keys[i], i % 2 == 0, status, value);
      }
    }
  };

  std::vector<std::thread> readers;
  for (const uint64_t seed : {9u, 10u, 11u}) {
    readers.emplace_back(read, seed);
  }
  const auto end = std::chrono::steady_clock::now() + kDuration;
  uint32_t round = 0;
  try {
    for (; std::chrono::steady_clock::now() < end; ++round) {
      Rows rows;
      for (uint32_t i = 0; i < kBatch; ++i) {
        const std::string key = NumberedKey(round * kBatch + i);
        rows[key] = ValueOf(key);
      }
      db.Put(rows);
      num_written += kBatch;
      if (round % 8 == 7) {
        db.Flush();
      }
      if (round % 32 == 31) {
        db.Compact();
      }
    }
  } catch (...) {
    stop = true;
    for (std::thread& reader : readers) {
      reader.join();
    }
    throw;
  }
  stop = true;
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(num_lost, 0);
  EXPECT_EQ(num_phantoms, 0);
  EXPECT_GT(num_reads, 1000);
  EXPECT_GT(round, 8);
  EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL), 0);
}

INSTANTIATE_TEST_SUITE_P(All, ConcurrencyTest,
                         ::testing::Values(Layout::kFull,
                                           Layout::kPartitionedCached),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
