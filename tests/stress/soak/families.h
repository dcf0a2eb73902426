// SPDX-License-Identifier: Apache-2.0

// The column families of the soak test, in which RocksDB uses filters in every
// way.

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

// The column families. The first one is the default column family.
const std::vector<Family>& Families();

// True for partitioned filters of prefixes only: with them, RocksDB before 9.5
// misses rows in SeekForPrev (facebook/rocksdb#12872).
bool SeekForPrevMisses(const Family& family);

// The part of a filter_policy string after "cassandra_bloom:": bits per key,
// whole or fractional, or a false positive chance, and the partition key or the
// form of the blocks, with some of RocksDB's own filters among them.
std::string RandomSettings(const Family& family, uint64_t* random);

rocksdb::ColumnFamilyOptions OptionsFor(const Family& family,
                                        const std::string& settings,
                                        size_t file_size);

// A merge operator that appends operands to the value.
class AppendOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "Append"; }
  bool Merge(const rocksdb::Slice& key, const rocksdb::Slice* existing_value,
             const rocksdb::Slice& value, std::string* new_value,
             rocksdb::Logger* logger) const override;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_FAMILIES_H_
