// SPDX-License-Identifier: Apache-2.0

// Before RocksDB 11, DB::Open returns a raw pointer. Since RocksDB 11, it
// returns a std::unique_ptr. Use:
//
//   OpenedDb opened{};
//   Require(rocksdb::DB::Open(options, path, &opened));
//   const std::unique_ptr<rocksdb::DB> db = Own(std::move(opened));

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_OPENED_DB_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_OPENED_DB_H_

#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <memory>
#include <utility>

namespace cassandra_bloom::testing {

#if ROCKSDB_MAJOR >= 11
using OpenedDb = std::unique_ptr<rocksdb::DB>;
inline std::unique_ptr<rocksdb::DB> Own(OpenedDb db) { return db; }
#else
using OpenedDb = rocksdb::DB*;
inline std::unique_ptr<rocksdb::DB> Own(OpenedDb db) {
  return std::unique_ptr<rocksdb::DB>(db);
}
#endif

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_OPENED_DB_H_
