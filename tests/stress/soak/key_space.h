// SPDX-License-Identifier: Apache-2.0

// The keys of the soak test are rows in partitions:
//
//   size of the partition key (2 bytes) | partition key | row (2 bytes)
//
// Every second partition is never written. In one of eight partitions, keys are
// deleted only by SingleDelete. RocksDB does not allow SingleDelete and other
// deletes of the same key.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_KEY_SPACE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_KEY_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

class KeySpace {
 public:
  // A prefix is the size of the partition key (2 bytes) and its first six
  // digits.
  static constexpr size_t kPrefixSize = 2 + 6;

  explicit KeySpace(uint64_t num_keys) : num_keys_(num_keys) {}

  uint64_t num_keys() const { return num_keys_; }

  std::string Key(uint64_t number) const {
    char digits[21];
    std::snprintf(digits, sizeof(digits), "%06llu",
                  static_cast<unsigned long long>(number / kRows));
    // Later partitions have longer keys. Longer keys sort after shorter keys,
    // because each key begins with the size of its partition key.
    std::string partition = digits;
    partition.append(number / kRows * kRows * 4 / num_keys_ * 3, 'x');
    return BigEndian(partition.size(), 2) + partition +
           BigEndian(number % kRows, 2);
  }

  // Returns the number of a key that may be written, chosen by `random`.
  uint64_t Written(uint64_t random) const {
    const uint64_t number = random % num_keys_;
    return number / kRows % 2 == 0 ? number : number - number % kRows - 1;
  }

  static bool IsForSingleDelete(uint64_t number) {
    return number / kRows % kGroup == kGroup - 2;
  }

  // Each group of kGroup partitions has one partition for SingleDelete. Returns
  // the number of this partition's first key. The group is the one that
  // contains key `number`.
  static uint64_t NextForSingleDelete(uint64_t number) {
    constexpr uint64_t kGroupRows = kRows * kGroup;
    return number / kGroupRows * kGroupRows + kRows * (kGroup - 2);
  }

 private:
  static constexpr uint64_t kRows = 25;  // Rows per partition.
  static constexpr uint64_t kGroup = 8;

  const uint64_t num_keys_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_KEY_SPACE_H_
