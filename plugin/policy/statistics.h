// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_

#include <mutex>

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomStatistics;

// The counters of a policy, whose figures are also added to those of the
// process. Safe for concurrent use.
class StatisticsCounters {
 public:
  void Add(const CassandraBloomStatistics& more);
  CassandraBloomStatistics Read() const;

 private:
  mutable std::mutex mutex_;
  CassandraBloomStatistics figures_;
};

// GetOptions<StatisticsCounters>(kStatisticsPart) returns the counters of a
// policy. A cast to the policy's class is not used instead, for two reasons.
// The cast would be undefined for another policy with our name, and impossible
// in a RocksDB without RTTI.
constexpr char kStatisticsPart[] = "cassandra_bloom.statistics";

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_STATISTICS_H_
