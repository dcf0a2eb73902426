// SPDX-License-Identifier: Apache-2.0

// What a filter policy of ours has built and read, for tests and for people.
//
//   const auto* const table_options =
//       db->GetOptions().table_factory
//           ->GetOptions<rocksdb::BlockBasedTableOptions>();
//   rocksdb::CassandraBloomStatistics statistics;
//   if (rocksdb::GetCassandraBloomStatistics(*table_options->filter_policy,
//                                            &statistics)) {
//     std::fputs(statistics.ToString().c_str(), stdout);
//   }
//
// Always on: a policy counts filters, not keys. What reads make of the filters
// is in RocksDB's own statistics (rocksdb.bloom.filter.*).

#ifndef CASSANDRA_BLOOM_FILTER_STATISTICS_H_
#define CASSANDRA_BLOOM_FILTER_STATISTICS_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <string>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

namespace ROCKSDB_NAMESPACE {

class FilterPolicy;

// All of it since the policy was made. Nothing is taken away when an SST file
// goes, or never comes to be because its writing failed.
struct CassandraBloomStatistics {
  // Filters of SST files; of a partitioned filter, each partition.
  uint64_t filters_built = 0;

  // What they were built of: keys, prefixes or partition keys, counted as in
  // TableProperties::num_filter_entries.
  uint64_t entries = 0;

  // The size of the blocks, before RocksDB puts its own trailers behind them.
  uint64_t bytes = 0;

  // The time from the call of Finish to its return: laying out and setting the
  // bits, and under detect_filter_construct_corruption the check of the hashes.
  // Not the hashing of the keys as they are added, nor the check afterwards.
  uint64_t build_nanos = 0;

  // Those of filters_built that match every key, for want of memory or because
  // the hashes had changed in memory. RocksDB gives up the SST file of the
  // latter.
  uint64_t match_all_filters = 0;

  // Blocks that were read and are no filter, and so are taken as "may match".
  // A block that is read again, because the block cache had dropped it, counts
  // again.
  uint64_t damaged_blocks = 0;

  // Lines in the style of `nodetool tablestats`.
  CASSANDRA_BLOOM_EXPORT std::string ToString() const;
};

// False, and nothing written, for a policy that is not ours. One that wraps
// ours and says so (Customizable::Inner) gives the figures of ours. Safe in any
// thread.
CASSANDRA_BLOOM_EXPORT bool GetCassandraBloomStatistics(
    const FilterPolicy& policy, CassandraBloomStatistics* statistics);

// Of all policies that this process has or had.
CASSANDRA_BLOOM_EXPORT CassandraBloomStatistics
GetCassandraBloomStatisticsTotal();

}  // namespace ROCKSDB_NAMESPACE

#endif  // CASSANDRA_BLOOM_FILTER_STATISTICS_H_
