// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/level_files.h"
#include "tests/support/rocksdb/opened_db.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Returns enough rows for a Ribbon filter, because RocksDB builds no Ribbon
// filter for few keys.
inline Rows SomeRows() {
  Rows rows;
  for (int i = 0; i < 4000; ++i) {
    rows["key" + std::to_string(100000 + i)] = "value";
  }
  return rows;
}

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

using FilterTypes = std::map<std::string, int>;

// Counts the types of the different filters that RocksDB reads. It may read the
// same one twice.
class TypeCounter final : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return "TypeCounter"; }
  const char* CompatibilityName() const override { return kRocksdbsFilterName; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& block) const override {
    const bool is_ours = WithoutTrailer(block.ToStringView()).has_value();
    const int type = block.size() < 5
                         ? 0
                         : static_cast<signed char>(block[block.size() - 5]);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!blocks_.insert(block.ToString()).second) {
      return nullptr;
    }
    ++types_[is_ours      ? "cassandra"
             : type == -1 ? "bloom"
             : type == -2 ? "ribbon"
             : type > 0   ? "legacy bloom"
                          : "other"];
    return nullptr;
  }

  FilterTypes types() const { return types_; }

 private:
  mutable std::mutex mutex_;
  mutable std::set<std::string> blocks_;
  mutable FilterTypes types_;
};

// Counts the filters that RocksDB reads when it opens the database.
inline FilterTypes TypesIn(const TestDb& db) {
  const auto counter = std::make_shared<TypeCounter>();
  rocksdb::Options options = DbOptions(TableOptions(counter));
  OpenedDb opened{};
  Require(rocksdb::DB::OpenForReadOnly(options, db.path(), &opened));
  const std::unique_ptr<rocksdb::DB> reader = Own(std::move(opened));
  return counter->types();
}

inline void ExpectAllFound(const TestDb& db) {
  for (const auto& [key, expected] : SomeRows()) {
    std::string value;
    ASSERT_TRUE(db->Get({}, key, &value).ok()) << key;
    ASSERT_EQ(value, expected);
  }
}

// Returns how many of 1000 absent keys the filters reject.
inline uint64_t Rejected(TestDb* db) {
  db->ResetStatistics();
  std::string value;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(100000 + i) + "x";
    EXPECT_TRUE((*db)->Get({}, key, &value).IsNotFound());
  }
  return db->ReadsFiltered();
}

inline std::string LogOf(const TestDb& db) {
  std::ifstream file(db.path() + "/LOG");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline rocksdb::Options WithDynamicLevels(PolicyPtr policy) {
  rocksdb::Options options = DbOptions(std::move(policy));
  options.level_compaction_dynamic_level_bytes = true;
  return options;
}

inline double BitsPerKey(const TestDb& db) {
  const auto table = db.OnlyTable();
  return LevelFile{table->num_filter_entries, table->filter_size}
      .bits_per_key();
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FILTER_TYPES_H_
