// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_

#include "plugin/lsm/partition_key.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom {

// Returns a reader for the filter block `contents`, which must outlive the
// reader. The caller owns the reader, which is safe for concurrent use. If the
// block is malformed, the reader matches every key, and the first such block of
// the process is reported on stderr. Returns nullptr if memory cannot be
// allocated. RocksDB then also treats every key as a match.
ROCKSDB_NAMESPACE::FilterBitsReader* NewBitsReader(
    const ROCKSDB_NAMESPACE::Slice& contents,
    PartitionKeyExtractor partition_key);

// Returns a reader that matches every key, or nullptr if memory cannot be
// allocated. The caller owns the reader.
ROCKSDB_NAMESPACE::FilterBitsReader* NewMatchAllReader();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_BITS_READER_H_
