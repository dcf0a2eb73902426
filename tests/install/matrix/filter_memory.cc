// SPDX-License-Identifier: Apache-2.0
// Measures memory and false positives of filters, with and without
// optimize_filters_for_memory. filter_memory.sh runs this program.

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "tests/install/matrix/open_database.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::DB;
using rocksdb::Options;
using rocksdb::Status;

constexpr int kFiles = 200;

// Each file has its own range of keys, so a look-up asks one filter.
std::string Key(int file, uint64_t number) {
  char text[40];
  std::snprintf(text, sizeof text, "%04d%012" PRIu64, file, number);
  return text;
}

// Returns the number of keys in each file, from 1,000 to 30,000. The numbers
// are the same in each run.
std::vector<uint64_t> KeysOfFiles() {
  std::mt19937_64 random(1);
  std::vector<uint64_t> keys;
  for (int file = 0; file < kFiles; ++file) {
    const double part = static_cast<double>(random() >> 11) / (1ULL << 53);
    keys.push_back(static_cast<uint64_t>(std::pow(10, 3 + 1.5 * part)));
  }
  return keys;
}

struct Case {
  bool is_ours;
  bool optimize;
  bool partitioned;
};

Options OptionsFor(const Case& a_case) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(
      a_case.is_ours ? rocksdb::NewCassandraBloomPolicyBesideRocksdb(10)
                     : rocksdb::NewBloomFilterPolicy(10));
  table.optimize_filters_for_memory = a_case.optimize;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(size_t{4} << 30);
  table.format_version = 5;
  if (a_case.partitioned) {
    table.partition_filters = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = 10 * kFiles;
  options.level0_stop_writes_trigger = 10 * kFiles;
  options.write_buffer_size = size_t{1} << 30;
  options.max_open_files = -1;
  // Switches off statistics dumps. A dump would keep old numbers of the cache,
  // and RocksDB could return these numbers later.
  options.stats_dump_period_sec = 0;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

void Write(DB* db, const std::vector<uint64_t>& keys) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  for (int file = 0; file < kFiles; ++file) {
    for (uint64_t number = 0; number < keys[file]; ++number) {
      Check(db->Put(options, Key(file, number), ""), "Put");
    }
    Check(db->Flush({}), "Flush");
  }
}

uint64_t FilterSizes(DB* db) {
  rocksdb::TablePropertiesCollection files;
  Check(db->GetPropertiesOfAllTables(&files), "properties");
  uint64_t sum = 0;
  for (const auto& [name, properties] : files) {
    sum += properties->filter_size;
  }
  return sum;
}

// Returns the bytes that filters and their indexes take in the block cache.
uint64_t Charge(DB* db) {
  std::map<std::string, std::string> values;
  if (!db->GetMapProperty(DB::Properties::kBlockCacheEntryStats, &values)) {
    std::fprintf(stderr, "RocksDB does not tell what its block cache holds\n");
    std::exit(1);
  }
  uint64_t sum = 0;
  for (const auto role : {rocksdb::CacheEntryRole::kFilterBlock,
                          rocksdb::CacheEntryRole::kFilterMetaBlock}) {
    const std::string& bytes =
        values[rocksdb::BlockCacheEntryStatsMapKeys::UsedBytes(role)];
    sum += std::strtoull(bytes.c_str(), nullptr, 10);
  }
  return sum;
}

// Returns the mean false positive rate of all files. Also brings all filters
// into the block cache.
double FalsePositiveRate(DB* db, const Options& options, uint64_t lookups,
                         const std::vector<uint64_t>& keys) {
  std::mt19937_64 random(2);
  std::string value;
  for (int file = 0; file < kFiles; ++file) {
    for (uint64_t i = 0; i < lookups / kFiles; ++i) {
      // Absent keys are longer than all present keys.
      const std::string absent =
          Key(file, random() % (keys[file] - 1)) + std::to_string(random());
      if (!db->Get({}, absent, &value).IsNotFound()) {
        std::fprintf(stderr, "an absent key was found\n");
        std::exit(1);
      }
    }
  }
  const uint64_t asked = lookups / kFiles * kFiles;
  const uint64_t useful =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  return static_cast<double>(asked - useful) / static_cast<double>(asked);
}

void FindAll(DB* db, const std::vector<uint64_t>& keys) {
  std::string value;
  for (int file = 0; file < kFiles; ++file) {
    for (uint64_t number = 0; number < keys[file]; ++number) {
      Check(db->Get({}, Key(file, number), &value), "a present key");
    }
  }
}

void Measure(const std::string& folder, const Case& a_case, uint64_t lookups) {
  const std::vector<uint64_t> keys = KeysOfFiles();
  const Options options = OptionsFor(a_case);
  Write(Open(folder, options).get(), keys);
  const Options reopened = OptionsFor(a_case);
  const auto db = Open(folder, reopened);
  const double rate = FalsePositiveRate(db.get(), reopened, lookups, keys);
  const auto size = static_cast<double>(FilterSizes(db.get()));
  const auto charge = static_cast<double>(Charge(db.get()));
  FindAll(db.get(), keys);
  std::printf(
      "| %d.%d.%d | %s | %s | %s | %.0f | %.0f | %.1f %% | %.5f |\n",
      ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH,
      a_case.is_ours ? "cassandra_bloom:10:blocks:rocksdb" : "bloomfilter:10",
      a_case.partitioned ? "partitioned" : "full",
      a_case.optimize ? "on" : "off", size, charge, 100 * (charge / size - 1),
      rate);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER LOOKUPS\n", argv[0]);
    return 2;
  }
  int number = 0;
  for (const bool partitioned : {false, true}) {
    for (const bool is_ours : {false, true}) {
      for (const bool optimize : {false, true}) {
        Measure(argv[1] + ("/" + std::to_string(number++)),
                {is_ours, optimize, partitioned},
                std::strtoull(argv[2], nullptr, 10));
      }
    }
  }
  return 0;
}
