// SPDX-License-Identifier: Apache-2.0

// What differs between the releases of RocksDB.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_RELEASES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_RELEASES_H_

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

// Before RocksDB 11, DB::Open returns a raw pointer. Since RocksDB 11, it
// returns a std::unique_ptr. Use:
//
//   OpenedDb opened{};
//   Require(rocksdb::DB::Open(options, path, &opened));
//   const std::unique_ptr<rocksdb::DB> db = Own(std::move(opened));
#if ROCKSDB_MAJOR >= 11
using OpenedDb = std::unique_ptr<rocksdb::DB>;
inline std::unique_ptr<rocksdb::DB> Own(OpenedDb db) { return db; }
#else
using OpenedDb = rocksdb::DB*;
inline std::unique_ptr<rocksdb::DB> Own(OpenedDb db) {
  return std::unique_ptr<rocksdb::DB>(db);
}
#endif

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

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_RELEASES_H_
