// SPDX-License-Identifier: Apache-2.0

// Answers queries from a filter block: the FilterBitsReader of our policy.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_

#include "plugin/lsm/partition_key.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/statistics.h"

namespace cassandra_bloom {

// A reader for the block, which must outlive it; safe for concurrent use. It
// looks for the partition key of each key that RocksDB hands over. If the block
// is not a well-formed filter, the reader matches every key, and `statistics`
// counts a damaged block. The caller owns the reader. Returns nullptr if memory
// cannot be allocated; RocksDB then also treats every key as a match.
ROCKSDB_NAMESPACE::FilterBitsReader* NewBitsReader(
    const ROCKSDB_NAMESPACE::Slice& contents,
    PartitionKeyExtractor partition_key, StatisticsCounters* statistics);

// A reader that matches every key, for a block that is not damaged. Returns
// nullptr as NewBitsReader does.
ROCKSDB_NAMESPACE::FilterBitsReader* NewMatchAllReader();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_
