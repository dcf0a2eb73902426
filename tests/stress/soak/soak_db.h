// SPDX-License-Identifier: Apache-2.0

// The database of the soak test. Compares its rows with the expected rows in a
// Shadow.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SOAK_DB_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SOAK_DB_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/stress/soak/families.h"
#include "tests/stress/soak/shadow.h"

namespace cassandra_bloom::testing {

struct SoakCounts {
  std::array<uint64_t, RandomWrite::kNumKinds> writes{};
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t opens = 0;
  uint64_t policies_set = 0;  // Set by SetOptions.
  uint64_t policies_not_changeable = 0;
  uint64_t present_points = 0;  // Looked up by Get and MultiGet.
  uint64_t absent_points = 0;
  uint64_t seeks = 0;
  uint64_t seeks_for_prev = 0;
  uint64_t rows_scanned = 0;
  uint64_t exports_compared = 0;
  uint64_t filtered = 0;  // Keys and prefixes that a filter denied.
  uint64_t failures = 0;
};

// Prints all counts that are not 0 on one line.
void Print(const SoakCounts& counts);

class SoakDb {
 public:
  struct Settings {
    std::string path;
    size_t file_size;
    std::shared_ptr<rocksdb::EventListener> listener;  // May be null.
  };

  // `counts` must outlive this object.
  SoakDb(Settings settings, const KeySpace& keys, SoakCounts* counts)
      : settings_(std::move(settings)), keys_(keys), counts_(counts) {}
  ~SoakDb() { Close(); }
  SoakDb(const SoakDb&) = delete;
  SoakDb& operator=(const SoakDb&) = delete;

  // Open, Close, Write, Flush, Compact and SetPolicy throw an exception on an
  // error of RocksDB. SetPolicy only counts the error if this RocksDB cannot
  // change the policy of an open database.
  void Open(uint64_t* random);
  void Close();

  rocksdb::DB* db() const { return db_.get(); }
  const std::vector<rocksdb::ColumnFamilyHandle*>& handles() const {
    return handles_;
  }

  void Write(const std::vector<RandomWrite>& writes, bool sync);
  void Flush(size_t family);
  void Compact(size_t family, uint64_t* random);
  void SetPolicy(size_t family, uint64_t* random);

  // ---- Comparisons, which print and count differences ----

  // Reads a few present and absent keys in every way.
  void CheckSome(size_t family, const Rows& rows, uint64_t* random);
  // Reads every key of the key space.
  void CheckAll(const Shadow& shadow);
  // Reads every row of the column family, once with Get and once with MultiGet.
  void CheckRows(size_t family, const Rows& rows);
  void Report(const ::testing::AssertionResult& result, const std::string& of);

 private:
  Source source(size_t family) const {
    return {db_.get(), handles_[family], rocksdb::ReadOptions()};
  }
  void CheckPoints(size_t family, const Dataset& dataset);
  void CheckSeeks(size_t family, const Rows& rows,
                  const std::vector<std::string>& targets);
  void CountFiltered();

  const Settings settings_;
  const KeySpace keys_;
  SoakCounts* const counts_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SOAK_DB_H_
