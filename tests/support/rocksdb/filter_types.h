// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/block_form.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {

// Returns enough rows for a Ribbon filter, because RocksDB builds no Ribbon
// filter for few keys.
inline Rows SomeRows() { return NumberedRows(100000, 104000); }

inline rocksdb::CassandraBloomOptions Types(const std::string& filter,
                                            const std::string& bottommost) {
  rocksdb::CassandraBloomOptions options;
  options.filter = filter;
  options.bottommost_filter = bottommost;
  options.blocks = "rocksdb";
  return options;
}

inline PolicyPtr PolicyOf(const rocksdb::CassandraBloomOptions& options) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options));
}

inline PolicyPtr Mix() {
  return PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(10));
}

inline std::string TypeOf(const std::string& block) {
  if (WithoutTrailer(block).has_value()) {
    return "cassandra";
  }
  // The fifth byte before the end tells RocksDB's own filters apart.
  const int type =
      block.size() < 5 ? 0 : static_cast<signed char>(block[block.size() - 5]);
  return type == -1   ? "bloom"
         : type == -2 ? "ribbon"
         : type > 0   ? "legacy bloom"
                      : "other";
}

using FilterTypes = std::map<std::string, int>;

// Counts the different filters that RocksDB reads when it opens the database.
// It may read the same one twice.
inline FilterTypes TypesIn(const TestDb& db) {
  const auto capturing =
      std::make_shared<CapturingPolicy>(OurPolicyBesideRocksdb());
  OpenedDb opened{};
  Require(
      rocksdb::DB::OpenForReadOnly(DbOptions(capturing), db.path(), &opened));
  const std::unique_ptr<rocksdb::DB> reader = Own(std::move(opened));
  const auto blocks = capturing->blocks();
  FilterTypes types;
  for (const std::string& block : std::set(blocks.begin(), blocks.end())) {
    ++types[TypeOf(block)];
  }
  return types;
}

inline void ExpectAllFound(const TestDb& db) {
  EXPECT_TRUE(GetsMatch(db.source(), {SomeRows(), {}}));
}

// Returns how many of 1000 absent keys the filters reject.
inline uint64_t Rejected(TestDb* db) {
  Dataset dataset;
  for (uint32_t i = 100000; i < 101000; ++i) {
    dataset.absent.push_back(NumberedKey(i) + "x");
  }
  db->ResetStatistics();
  EXPECT_TRUE(GetsMatch(db->source(), dataset));
  return db->ReadsFiltered();
}

inline double BitsPerKey(const rocksdb::TableProperties& table) {
  return 8 * static_cast<double>(table.filter_size) /
         static_cast<double>(table.num_filter_entries);
}

inline double BitsPerKey(const TestDb& db) {
  return BitsPerKey(*db.OnlyTable());
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_
