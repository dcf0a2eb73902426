// SPDX-License-Identifier: Apache-2.0

// Reads facts from the Statistics.db of an SSTable.
//
// Since version `ka`, the component VALIDATION has the planned false positive
// rate (org.apache.cassandra.io.sstable.metadata.ValidationMetadata). In
// versions `ja` and `jb`, the rate is one of the numbers of SSTableMetadata.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_STATISTICS_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_STATISTICS_DB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// A fact is empty if the file does not have it, or if it cannot be read.
struct Statistics {
  // The bloom_filter_fp_chance with which the SSTable was written, more than 0
  // and at most 1. If it is empty, `error` says why.
  std::optional<double> fp_chance;
  std::string error;
  // The name of the partitioner's class without its package, such as
  // "Murmur3Partitioner".
  std::string partitioner;
  // The number of partitions, from the histogram of their sizes. Each partition
  // is counted once (addRowSize, later addPartitionSizeInBytes of Cassandra's
  // MetadataCollector; metadata_collector::add_partition_size of ScyllaDB).
  std::optional<uint64_t> num_partitions;
};

Statistics ReadStatistics(const std::string& path, std::string_view version);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_STATISTICS_DB_H_
