// SPDX-License-Identifier: Apache-2.0
// Shared by the programs of this folder, which are built with many RocksDB
// releases.

#ifndef CASSANDRA_BLOOM_TESTS_INSTALL_MATRIX_OPEN_DATABASE_H_
#define CASSANDRA_BLOOM_TESTS_INSTALL_MATRIX_OPEN_DATABASE_H_

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

inline void Check(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), status.ToString().c_str());
    std::exit(1);
  }
}

// RocksDB 7 has only the DB::Open that returns a raw pointer. RocksDB 11 no
// longer has this function.
inline std::unique_ptr<rocksdb::DB> Open(const std::string& folder,
                                         const rocksdb::Options& options) {
#if ROCKSDB_MAJOR < 11
  rocksdb::DB* raw = nullptr;
  Check(rocksdb::DB::Open(options, folder, &raw), folder);
  return std::unique_ptr<rocksdb::DB>(raw);
#else
  std::unique_ptr<rocksdb::DB> db;
  Check(rocksdb::DB::Open(options, folder, &db), folder);
  return db;
#endif
}

#endif  // CASSANDRA_BLOOM_TESTS_INSTALL_MATRIX_OPEN_DATABASE_H_
