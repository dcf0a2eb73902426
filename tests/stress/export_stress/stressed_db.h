// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_

#include <rocksdb/db.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// A database with an export listener.
class StressedDb {
 public:
  // Opens the database in `folder`, with filters drawn at random. The filters
  // are exported to the folder `out_dir`.
  StressedDb(const std::string& folder, const std::string& out_dir,
             uint64_t* random);
  ~StressedDb();
  StressedDb(const StressedDb&) = delete;
  StressedDb& operator=(const StressedDb&) = delete;

  void WriteAndSometimesFlush(uint64_t* random);

  // For this long, does at once what can change the live files of a database:
  // writers, compactions, DB::CompactFiles, ingestion, DeleteFilesInRange, and
  // column families that are made and dropped. Meanwhile, exports beside the
  // listener and checks the filters, and `out_dir` goes away and comes back
  // and, if `can_fill`, its disk is full for a while.
  void Churn(bool can_fill, std::chrono::milliseconds duration,
             uint64_t* random);

  // Throws if a filter is not that of the SST file of its name. Then exports,
  // and throws unless the folder has exactly those of the live SST files.
  // RocksDB must do nothing in the background.
  void CheckExports();

 private:
  std::string Export();
  void CheckFilters() const;

  rocksdb::Options options_;
  const std::string out_dir_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_STRESSED_DB_H_
