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

// Returns true if SeekForPrev may miss rows of this column family. RocksDB
// before 9.5 does so if filters are partitioned and have only prefixes
// (facebook/rocksdb#12872).
bool SeekForPrevMisses(const Family& family);

// Returns the part of a filter_policy string after "cassandra_bloom:". It has
// whole or fractional bits per key or an fp_chance. If the column family has
// prefixes that are partitions, it has the partition key, too. Otherwise it may
// have the form of the blocks and RocksDB's own types of filters.
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
