// SPDX-License-Identifier: Apache-2.0

// The column families of the soak test, which use filters in every way.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_FAMILIES_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_FAMILIES_H_

#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

enum class Prefixes { kNone, kFixed, kPartitions };

struct Family {
  std::string name;
  Layout layout;
  Prefixes prefixes;
  bool whole_keys;
};

// Returns the column families. The first one is the default column family.
const std::vector<Family>& Families();

// Returns whether SeekForPrev of this RocksDB misses rows. RocksDB before 9.5
// does so if the filters are partitioned and contain only prefixes
// (facebook/rocksdb#12872).
bool SeekForPrevMisses(const Family& family);

// Returns random text to follow "cassandra_bloom:" in a filter_policy string.
std::string RandomSettings(const Family& family, uint64_t* random);

rocksdb::ColumnFamilyOptions OptionsFor(const Family& family,
                                        const std::string& settings,
                                        size_t file_size);

class AppendOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "Append"; }
  bool Merge(const rocksdb::Slice& key, const rocksdb::Slice* existing_value,
             const rocksdb::Slice& value, std::string* new_value,
             rocksdb::Logger* logger) const override;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_FAMILIES_H_
