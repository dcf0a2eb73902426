// SPDX-License-Identifier: Apache-2.0

// A database with a random configuration.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/stress/random/configuration.h"

namespace cassandra_bloom::testing {

class Database {
 public:
  Database() = default;
  ~Database() { Close(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Open and OpenReadOnly throw a Failure on an error of RocksDB.
  void Open(const Configuration& configuration, Stand stand,
            const std::string& path);
  void OpenReadOnly(const Configuration& configuration, Stand stand,
                    const std::string& path);
  void Close();

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* db() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* handle(size_t family) const {
    return handles_[family];
  }
  const std::vector<rocksdb::ColumnFamilyHandle*>& handles() const {
    return handles_;
  }

  // Returns how many keys and prefixes filters have denied since the opening.
  uint64_t Filtered() const;

 private:
  struct Prepared {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
  };
  Prepared Prepare(const Configuration& configuration, Stand stand);

  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_
