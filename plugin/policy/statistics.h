// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_

#include <rocksdb/filter_policy.h>

#include <mutex>

#include "cassandra_bloom/filter_statistics.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

// The counters of an SST file, of a policy or of the process. A file's figures
// are also added to its policy, and a policy's figures to the process. Safe for
// concurrent use.
class StatisticsCounters {
 public:
  // All figures are also added to `whole`, if it is not null. `whole` must
  // exist whenever Add is called.
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

// GetOptions<StatisticsCounters>(kStatisticsPart) returns the counters of a
// policy. A cast to the policy's class is not used instead, for two reasons.
// The cast would be undefined for another policy with our name, and impossible
// in a RocksDB without RTTI.
constexpr char kStatisticsPart[] = "cassandra_bloom.statistics";

// Counts the filters of one SST file. The destructor writes one line to
// RocksDB's LOG. Allocates no memory and throws nothing.
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
  // May be null. The logger outlives this object, because RocksDB's table
  // builder keeps it until the filter builder is destroyed (RocksDB
  // 7.1 to 11.9).
  ROCKSDB_NAMESPACE::Logger* const info_log_;
  const int level_;
  char column_family_[64];  // The column family's name, cut to 63 bytes.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
