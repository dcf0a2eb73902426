// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Keys and values, in the order of RocksDB's bytewise comparator.
using Rows = std::map<std::string, std::string>;

struct Dataset {
  Rows rows;
  std::vector<std::string> absent;
};

// ---- Numbered keys ----

std::string ValueOf(const std::string& key);

// Returns "key" and the number with six digits, such as "key000017".
std::string NumberedKey(uint32_t number);

// Returns rows with the numbered keys `first` to `end` - 1.
Rows NumberedRows(uint32_t first, uint32_t end);

// Returns rows with the numbered keys 0 to n - 1. The absent keys sort between
// the rows, because RocksDB could otherwise skip a file by its key range.
Dataset NumberedDataset(uint32_t n, uint32_t num_absent);

// Returns the number of 64-bit words for n keys at 10 bits per key.
uint32_t NumWords(uint64_t n);

// ---- Keys with prefixes ----

constexpr size_t kPrefixSize = 4;

// Returns random rows. Each of `num_prefixes` prefixes has up to
// `rows_per_prefix` rows. Up to `num_short` rows are too short for a prefix.
// Absent keys have the same prefixes, other prefixes, or no prefix.
Dataset PrefixedDataset(uint64_t seed, size_t num_prefixes,
                        size_t rows_per_prefix, size_t num_short);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
