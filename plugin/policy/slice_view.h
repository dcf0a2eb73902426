// SPDX-License-Identifier: Apache-2.0

// Converts RocksDB's slices to the views that the other folders take.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_SLICE_VIEW_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_SLICE_VIEW_H_

#include <rocksdb/slice.h>

#include <string_view>

namespace cassandra_bloom {

inline std::string_view ViewOf(const ROCKSDB_NAMESPACE::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_SLICE_VIEW_H_
