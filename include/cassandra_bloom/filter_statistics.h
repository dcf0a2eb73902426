// SPDX-License-Identifier: Apache-2.0

// What a filter policy of this library has built and read, for tests and for
// people.
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
// Always on, because a policy counts filters, not keys. What reads gain from
// the filters is in RocksDB's own statistics (rocksdb.bloom.filter.*).

#ifndef CASSANDRA_BLOOM_FILTER_STATISTICS_H_
#define CASSANDRA_BLOOM_FILTER_STATISTICS_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <string>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

namespace ROCKSDB_NAMESPACE {

class FilterPolicy;

// All figures count from the creation of the policy. Nothing is subtracted when
// an SST file is deleted, or when writing it fails.
struct CassandraBloomStatistics {
  // Filters of SST files; each partition of a partitioned filter counts as one.
  uint64_t filters_built = 0;

  // The entries of filters_built: keys, prefixes or partition keys, counted as
  // in TableProperties::num_filter_entries.
  uint64_t entries = 0;

  // The size of the filter blocks, without the trailers that RocksDB appends.
  uint64_t bytes = 0;

  // The time from the call of Finish to its return. It includes laying out and
  // setting the bits and, under detect_filter_construct_corruption, the check
  // of the hashes. It excludes hashing the keys as they are added, and the
  // check after Finish.
  uint64_t build_nanos = 0;

  // How many of filters_built match every key, because memory could not be
  // allocated or because the hashes had changed in memory. If the hashes had
  // changed, RocksDB gives up the SST file.
  uint64_t match_all_filters = 0;

  // Blocks that were read and are not a well-formed filter, so that they match
  // every key. If the block cache drops a block and it is read again, it counts
  // again.
  uint64_t damaged_blocks = 0;

  // The figures as lines in the style of `nodetool tablestats`.
  CASSANDRA_BLOOM_EXPORT std::string ToString() const;
};

// Returns false, and leaves `*statistics` unchanged, for a policy of another
// library. For a policy that wraps one of this library and returns it from
// Customizable::Inner, gives the figures of the wrapped policy. May be called
// in any thread.
CASSANDRA_BLOOM_EXPORT bool GetCassandraBloomStatistics(
    const FilterPolicy& policy, CassandraBloomStatistics* statistics);

// The sum for all policies of this process, including destroyed ones.
CASSANDRA_BLOOM_EXPORT CassandraBloomStatistics
GetCassandraBloomStatisticsTotal();

}  // namespace ROCKSDB_NAMESPACE

#endif  // CASSANDRA_BLOOM_FILTER_STATISTICS_H_
