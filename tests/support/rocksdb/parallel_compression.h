// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_

#include <rocksdb/convenience.h>

#include <algorithm>
#include <vector>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

// Whether several threads can compress a file while keys are added: from
// RocksDB 10.7 on (before, it is an experiment), if it has LZ4. It must be
// LZ4HC, because RocksDB 11.8 compresses plain LZ4 in one thread.
inline bool CanCompressInParallel() {
  const std::vector<rocksdb::CompressionType> supported =
      rocksdb::GetSupportedCompressions();
  return CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 1007 &&
         std::find(supported.begin(), supported.end(),
                   rocksdb::kLZ4HCCompression) != supported.end();
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_PARALLEL_COMPRESSION_H_
