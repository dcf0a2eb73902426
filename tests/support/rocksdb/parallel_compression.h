// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_

#include <rocksdb/convenience.h>

#include <algorithm>
#include <vector>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

// Returns true for RocksDB 10.7 or later with LZ4HC. Plain LZ4 is not enough,
// because RocksDB 11.8 compresses plain LZ4 in one thread.
inline bool CanCompressInParallel() {
  const std::vector<rocksdb::CompressionType> supported =
      rocksdb::GetSupportedCompressions();
  return CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 1007 &&
         std::find(supported.begin(), supported.end(),
                   rocksdb::kLZ4HCCompression) != supported.end();
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_
