// The hash of what RocksDB hands over, the same for adding and for querying.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SLICE_HASH_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SLICE_HASH_H_

#include <rocksdb/slice.h>

#include "plugin/core/murmur3.h"

namespace cassandra_bloom {

inline Hash128 HashOf(const ROCKSDB_NAMESPACE::Slice& entry) {
  return CassandraMurmur3(entry.data(), entry.size());
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SLICE_HASH_H_
