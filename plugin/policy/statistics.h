// SPDX-License-Identifier: Apache-2.0

// The figures of include/cassandra_bloom/filter_statistics.h as they grow.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_

#include <rocksdb/filter_policy.h>

#include <mutex>

#include "cassandra_bloom/filter_statistics.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

// The counters of a part, which are those of the whole, too: of an SST file, of
// its policy, of the process.
class StatisticsCounters {
 public:
  // `whole` may be null, and must not be gone when something is added.
  constexpr explicit StatisticsCounters(StatisticsCounters* whole)
      : whole_(whole) {}

  void Add(const CassandraBloomStatistics& more);
  CassandraBloomStatistics Read() const;

 private:
  StatisticsCounters* const whole_;
  mutable std::mutex mutex_;
  CassandraBloomStatistics figures_;
};

StatisticsCounters* TotalStatistics();

// RocksDB's way to a part of a Configurable without a cast to its class, which
// another policy of our name would make undefined and a RocksDB without RTTI
// impossible: GetOptions<StatisticsCounters>(kStatisticsPart).
constexpr char kStatisticsPart[] = "cassandra_bloom.statistics";

// Of the filters of one SST file. At its end it is one line in RocksDB's LOG.
// Takes no memory and throws nothing.
class FileStatistics {
 public:
  FileStatistics(const ROCKSDB_NAMESPACE::FilterBuildingContext& context,
                 StatisticsCounters* policy);
  ~FileStatistics();
  FileStatistics(const FileStatistics&) = delete;
  FileStatistics& operator=(const FileStatistics&) = delete;

  void Add(const CassandraBloomStatistics& filter) { counters_.Add(filter); }

 private:
  StatisticsCounters counters_;
  // May be null. RocksDB's table builder owns it, by a copy of the options that
  // it destroys after the filter's builder (7.1 - 11.8).
  ROCKSDB_NAMESPACE::Logger* const info_log_;
  const int level_;
  char column_family_[64];  // Its name, which is cut if it is longer.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
