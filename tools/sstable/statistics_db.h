// SPDX-License-Identifier: Apache-2.0

// Reads the planned false positive rate, the partitioner and the number of
// partitions from the Statistics.db of an SSTable.
//
// Statistics.db has kept bloom_filter_fp_chance since version `ja`. Since `ka`,
// its component VALIDATION holds it
// (org.apache.cassandra.io.sstable.metadata.ValidationMetadata); before `ka`,
// it is one of the numbers of SSTableMetadata.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_STATISTICS_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_STATISTICS_DB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// Sets `*fp_chance` to the bloom_filter_fp_chance that the SSTable was written
// with, more than 0 and at most 1. `version`: that of the SSTable, such as
// "nb". Returns false, and sets `*error`, if the file cannot be read, is
// damaged, or is of a version that does not hold the chance.
bool ReadFpChance(const std::string& path, std::string_view version,
                  double* fp_chance, std::string* error);

// A fact is empty if the file does not have it, or if it cannot be read.
struct PartitionFacts {
  // The partitioner's class, without its package: "Murmur3Partitioner".
  std::string partitioner;
  // The number of partitions of the SSTable: the sum of the histogram of their
  // sizes. Each partition is counted there once, when it is written
  // (addRowSize, later addPartitionSizeInBytes of Cassandra's
  // MetadataCollector; metadata_collector::add_partition_size of ScyllaDB).
  std::optional<uint64_t> num_partitions;
};

// `version`: as for ReadFpChance.
PartitionFacts ReadPartitionFacts(const std::string& path,
                                  std::string_view version);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_STATISTICS_DB_H_
