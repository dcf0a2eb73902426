// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/statistics.h"

#include <cinttypes>
#include <cstdio>
#include <string>

namespace cassandra_bloom {
namespace {

// The figures of all policies of the process.
StatisticsCounters* Total() {
  static StatisticsCounters total;
  return &total;
}

}  // namespace

void StatisticsCounters::Add(const CassandraBloomStatistics& more) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    figures_.filters_built += more.filters_built;
    figures_.entries += more.entries;
    figures_.bytes += more.bytes;
    figures_.build_nanos += more.build_nanos;
    figures_.match_all_filters += more.match_all_filters;
    figures_.damaged_blocks += more.damaged_blocks;
  }
  if (this != Total()) {
    Total()->Add(more);
  }
}

CassandraBloomStatistics StatisticsCounters::Read() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return figures_;
}

}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

using cassandra_bloom::StatisticsCounters;

// No line of the text says "Bloom filter space used", because in Cassandra
// these words mean the space of all live SSTables. That space is not counted
// here. The fractions are printed as integers, because a double would be
// printed with a comma in some locales.
std::string CassandraBloomStatistics::ToString() const {
  const uint64_t hundredths = entries == 0 ? 0 : 800 * bytes / entries;
  const uint64_t micros = build_nanos / 1000;
  char text[500];
  std::snprintf(
      text, sizeof(text),
      "Bloom filters built: %" PRIu64 "\nBloom filter entries built: %" PRIu64
      "\nBloom filter space built: %" PRIu64
      "\nBloom filter bits per entry: %" PRIu64 ".%02" PRIu64
      "\nBloom filter build time: %" PRIu64 ".%03" PRIu64
      " ms\nBloom filters that match all: %" PRIu64
      "\nBloom filter damaged blocks: %" PRIu64
      "\nNot counted: filters of RocksDB's own kinds\n",
      filters_built, entries, bytes, hundredths / 100, hundredths % 100,
      micros / 1000, micros % 1000, match_all_filters, damaged_blocks);
  return text;
}

bool GetCassandraBloomStatistics(const FilterPolicy& policy,
                                 CassandraBloomStatistics* statistics) {
  const auto* const counters =
      policy.GetOptions<StatisticsCounters>(cassandra_bloom::kStatisticsPart);
  if (counters == nullptr) {
    return false;
  }
  *statistics = counters->Read();
  return true;
}

CassandraBloomStatistics GetCassandraBloomStatisticsTotal() {
  return cassandra_bloom::Total()->Read();
}

}  // namespace ROCKSDB_NAMESPACE
