// SPDX-License-Identifier: Apache-2.0

// A database with a random configuration.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/failure.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {

class Database {
 public:
  Database() = default;
  ~Database() { Close(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Throws a Failure on an error of RocksDB.
  void Open(const Configuration& configuration, Stand stand,
            const std::string& path, bool read_only = false) {
    Close();
    rocksdb::DBOptions options = DbOptionsOf(configuration);
    statistics_ = rocksdb::CreateDBStatistics();
    options.statistics = statistics_;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const FamilyConfiguration& family : configuration.families) {
      families.emplace_back(family.name, ColumnFamilyOptionsOf(family, stand));
    }
    OpenedDb db{};
    RequireOk(read_only
                  ? rocksdb::DB::OpenForReadOnly(options, path, families,
                                                 &handles_, &db)
                  : rocksdb::DB::Open(options, path, families, &handles_, &db),
              read_only ? "OpenForReadOnly" : "Open");
    db_ = Own(std::move(db));
  }

  void Close() {
    for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
    handles_.clear();
    db_.reset();
  }

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* db() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* handle(size_t family) const {
    return handles_[family];
  }
  const std::vector<rocksdb::ColumnFamilyHandle*>& handles() const {
    return handles_;
  }

  // Returns how many keys and prefixes filters have denied since the opening.
  uint64_t Filtered() const {
    return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
           statistics_->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  }

 private:
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DATABASE_H_
