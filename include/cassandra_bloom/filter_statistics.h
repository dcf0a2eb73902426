// SPDX-License-Identifier: Apache-2.0

// Statistics of what a filter policy of this library has built and read.
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
// Counting is always on. It costs little time, because a policy counts filters,
// not keys. RocksDB's own statistics (rocksdb.bloom.filter.*) say what reads
// gain from the filters.

#ifndef CASSANDRA_BLOOM_FILTER_STATISTICS_H_
#define CASSANDRA_BLOOM_FILTER_STATISTICS_H_

#include <rocksdb/rocksdb_namespace.h>

#include <cstdint>
#include <string>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

namespace ROCKSDB_NAMESPACE {

class FilterPolicy;

// All figures are about filters of this library. Filters that RocksDB builds or
// reads for the policy, as in the last level with `mix`, are not counted.
//
// All figures count from the creation of the policy. Nothing is subtracted when
// an SST file is deleted, or when writing the file fails.
struct CassandraBloomStatistics {
  // The number of filters built for SST files. Each partition of a partitioned
  // filter counts as one filter.
  uint64_t filters_built = 0;

  // The number of entries in filters_built. An entry is a key, a prefix or a
  // partition key, as in TableProperties::num_filter_entries.
  uint64_t entries = 0;

  // The size of the filter blocks in bytes, without the trailers that RocksDB
  // appends.
  uint64_t bytes = 0;

  // The time spent in FilterBitsBuilder::Finish, in nanoseconds. Finish sets
  // the bits and, with detect_filter_construct_corruption, checks the hashes.
  // The time excludes hashing the keys before Finish, and checking the filter
  // after Finish.
  uint64_t build_nanos = 0;

  // How many of filters_built match every key. The reason is that memory could
  // not be allocated, or that the hashes of the keys had changed in memory. If
  // the hashes had changed, RocksDB gives up writing the SST file.
  uint64_t match_all_filters = 0;

  // The number of filter blocks that were read and are not a well-formed
  // filter. Such a block matches every key. If the block cache drops a block
  // and RocksDB reads it again, the block counts again.
  uint64_t damaged_blocks = 0;

  // Returns the figures as lines of text, in the style of Cassandra's `nodetool
  // tablestats`.
  CASSANDRA_BLOOM_EXPORT std::string ToString() const;
};

// Sets `*statistics` to the figures of `policy`. If `policy` wraps a policy of
// this library and returns it from Customizable::Inner, these are the figures
// of the wrapped policy. Returns false, and leaves `*statistics` unchanged, for
// a policy of another library. May be called in any thread.
CASSANDRA_BLOOM_EXPORT bool GetCassandraBloomStatistics(
    const FilterPolicy& policy, CassandraBloomStatistics* statistics);

// Returns the sums of the figures of all policies of this process, including
// destroyed ones.
CASSANDRA_BLOOM_EXPORT CassandraBloomStatistics
GetCassandraBloomStatisticsTotal();

}  // namespace ROCKSDB_NAMESPACE

#endif  // CASSANDRA_BLOOM_FILTER_STATISTICS_H_
