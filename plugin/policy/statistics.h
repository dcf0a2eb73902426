// SPDX-License-Identifier: Apache-2.0

// Counts the figures of include/cassandra_bloom/filter_statistics.h.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_

#include <rocksdb/filter_policy.h>

#include <mutex>

#include "cassandra_bloom/filter_statistics.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

// The counters of an SST file, of its policy or of the process. A file's
// figures are also added to its policy, and a policy's to the process.
class StatisticsCounters {
 public:
  // `whole`: the counters to which all figures are added, too. May be null.
  // Otherwise it must exist whenever something is added.
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

// The name for GetOptions<StatisticsCounters>(kStatisticsPart), with which
// RocksDB gives access to a part of a Configurable without a cast to its class.
// A cast would be undefined for another policy of our name, and impossible in a
// RocksDB without RTTI.
constexpr char kStatisticsPart[] = "cassandra_bloom.statistics";

// Counts the filters of one SST file. When it is destroyed, it writes one line
// to RocksDB's LOG. Allocates no memory and throws nothing.
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
  // May be null. RocksDB's table builder owns the logger in a copy of the
  // options. The logger outlives this object, because RocksDB (7.1 to 11.9)
  // destroys that copy after the filter's builder.
  ROCKSDB_NAMESPACE::Logger* const info_log_;
  const int level_;
  char column_family_[64];  // Its name, truncated if it is longer.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
