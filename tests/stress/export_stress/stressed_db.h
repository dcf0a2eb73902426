// SPDX-License-Identifier: Apache-2.0

// A database with an export listener, for export_stress.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

class StressedDb {
 public:
  // Opens the database in `folder`, with filters drawn at random. The filters
  // are exported to the folder `out_dir`.
  StressedDb(const std::string& folder, const std::string& out_dir,
             uint64_t* random);
  ~StressedDb() { Close(); }
  StressedDb(const StressedDb&) = delete;
  StressedDb& operator=(const StressedDb&) = delete;

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  const rocksdb::Options& options() const { return options_; }

  void Write(uint64_t* random, int count);

  // Exports beside the listener. Returns why it failed, or "".
  std::string Export();

  // Throws if a filter is not that of the SST file of its name.
  void CheckFilters();

  // Exports when RocksDB does nothing in the background. Throws unless the
  // folder then holds exactly the filters of the live SST files.
  void CheckExports();

  // With `close_first`, calls DB::Close before the database is destroyed.
  void Close(bool close_first = false);

 private:
  rocksdb::Options options_;
  const std::string out_dir_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_
