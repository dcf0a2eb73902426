// SPDX-License-Identifier: Apache-2.0

// A database in a temporary folder. The destructor removes the folder.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_TEMP_DB_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_TEMP_DB_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Keeps the lines that RocksDB writes to its LOG.
class LineLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using ROCKSDB_NAMESPACE::Logger::Logv;
  void Logv(const char* format, va_list arguments) override;

  std::vector<std::string> LinesWith(const std::string& text) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class TempDb {
 public:
  using Handle = ROCKSDB_NAMESPACE::ColumnFamilyHandle*;

  TempDb();
  ~TempDb();

  // Returns options that create a missing database and log into logger().
  ROCKSDB_NAMESPACE::Options options() const;

  std::string path() const { return folder_.path() + "/db"; }
  LineLogger& logger() { return *logger_; }
  ROCKSDB_NAMESPACE::DB* db() { return db_.get(); }

  ROCKSDB_NAMESPACE::Status Open(const ROCKSDB_NAMESPACE::Options& options);
  // Opens all column families with their options from the newest OPTIONS file.
  ROCKSDB_NAMESPACE::Status OpenLatest(
      std::vector<ROCKSDB_NAMESPACE::ColumnFamilyOptions>* cf_options);
  void Adopt(std::unique_ptr<ROCKSDB_NAMESPACE::DB> db) { db_ = std::move(db); }
  // Takes ownership of a column family that was created in this database.
  void Adopt(Handle handle) { handles_.push_back(handle); }
  void Close();

  // Fill writes one SST file. ExpectFilled expects the keys of Fill to be
  // present, and other keys to be absent. A null `family` is the default column
  // family.
  void Fill(Handle family = nullptr);
  void ExpectFilled(Handle family = nullptr);
  // Returns how many reads a filter has rejected so far.
  uint64_t NumFiltered() const;

 private:
  TempDir folder_;
  std::shared_ptr<LineLogger> logger_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_;
  std::vector<Handle> handles_;
  std::unique_ptr<ROCKSDB_NAMESPACE::DB> db_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_TEMP_DB_H_
