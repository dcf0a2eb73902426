// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/statistics.h"

#include <rocksdb/env.h>

#include <cinttypes>
#include <cstdio>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Logger;

namespace {

// The two parts of a decimal number, before and after the point. The parts are
// printed as integers, because a double would be printed with a comma in some
// locales.
struct Decimal {
  uint64_t whole;
  uint64_t part;
};

Decimal BitsPerEntry(const CassandraBloomStatistics& statistics) {
  const uint64_t hundredths =
      statistics.entries == 0 ? 0 : 800 * statistics.bytes / statistics.entries;
  return {hundredths / 100, hundredths % 100};
}

Decimal BuildMillis(const CassandraBloomStatistics& statistics) {
  const uint64_t micros = statistics.build_nanos / 1000;
  return {micros / 1000, micros % 1000};
}

void LogBuilt(Logger* info_log, const char* column_family, int level,
              const CassandraBloomStatistics& built) {
  const Decimal bits = BitsPerEntry(built);
  const Decimal millis = BuildMillis(built);
  ROCKSDB_NAMESPACE::Info(info_log,
                          "[%s] cassandra_bloom built %" PRIu64
                          " filter(s) of an SST file for level %d: %" PRIu64
                          " entries, %" PRIu64 " bytes, %" PRIu64 ".%02" PRIu64
                          " bits/entry, %" PRIu64 ".%03" PRIu64 " ms",
                          column_family, built.filters_built, level,
                          built.entries, built.bytes, bits.whole, bits.part,
                          millis.whole, millis.part);
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
  if (whole_ != nullptr) {
    whole_->Add(more);
  }
}

CassandraBloomStatistics StatisticsCounters::Read() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return figures_;
}

StatisticsCounters* TotalStatistics() {
  static StatisticsCounters total(nullptr);
  return &total;
}

FileStatistics::FileStatistics(const FilterBuildingContext& context,
                               StatisticsCounters* policy)
    : counters_(policy),
      info_log_(context.info_log),
      level_(context.level_at_creation) {
  std::snprintf(column_family_, sizeof(column_family_), "%s",
                context.column_family_name.c_str());
}

FileStatistics::~FileStatistics() {
  const CassandraBloomStatistics built = counters_.Read();
  if (info_log_ == nullptr || built.filters_built == 0) {
    return;
  }
  try {
    LogBuilt(info_log_, column_family_, level_, built);
  } catch (...) {
    // A logger may throw, but a destructor must not.
  }
}

}  // namespace cassandra_bloom

namespace ROCKSDB_NAMESPACE {

using cassandra_bloom::StatisticsCounters;

// No line of the text says "Bloom filter space used", because in Cassandra
// these words mean the space of all live SSTables. That space is not counted
// here.
std::string CassandraBloomStatistics::ToString() const {
  const cassandra_bloom::Decimal bits = cassandra_bloom::BitsPerEntry(*this);
  const cassandra_bloom::Decimal millis = cassandra_bloom::BuildMillis(*this);
  char text[500];
  std::snprintf(text, sizeof(text),
                "Bloom filters built: %" PRIu64
                "\nBloom filter entries built: %" PRIu64
                "\nBloom filter space built: %" PRIu64
                "\nBloom filter bits per entry: %" PRIu64 ".%02" PRIu64
                "\nBloom filter build time: %" PRIu64 ".%03" PRIu64
                " ms\nBloom filters that match all: %" PRIu64
                "\nBloom filter damaged blocks: %" PRIu64 "\n",
                filters_built, entries, bytes, bits.whole, bits.part,
                millis.whole, millis.part, match_all_filters, damaged_blocks);
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
  return cassandra_bloom::TotalStatistics()->Read();
}

}  // namespace ROCKSDB_NAMESPACE
