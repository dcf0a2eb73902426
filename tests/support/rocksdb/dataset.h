// SPDX-License-Identifier: Apache-2.0

// The rows that a database is expected to contain, and keys that it must not
// contain.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// In the order of RocksDB's bytewise comparator.
using Rows = std::map<std::string, std::string>;

struct Dataset {
  Rows rows;
  std::vector<std::string> absent;
};

// ---- Numbered keys: without prefixes, for tests of exact numbers ----

std::string ValueOf(const std::string& key);

// `key%06u`, as in set "i" of Cassandra's vectors.
std::string NumberedKey(uint32_t number);

// The rows are the numbered keys 0 ... n-1. The `num_absent` absent keys sort
// between the rows, because RocksDB could otherwise skip a file by its key
// range.
Dataset NumberedDataset(uint32_t n, uint32_t num_absent);

// The number of 64-bit words of a full filter of n entries at 10 bits per key.
uint32_t NumWords(uint64_t n);

// The number of absent keys that must not match a full filter of all rows at 10
// bits per key. Computed without plugin's code.
uint64_t ExpectedNegatives(const Dataset& dataset, int num_probes);

// ---- Keys with prefixes ----

constexpr size_t kPrefixSize = 4;

// A dataset of random keys, many with a first byte of 0x80 or more. The rows:
// - `num_prefixes` prefixes with up to `rows_per_prefix` rows each. Some rows
//   equal their prefix.
// - Up to `num_short` rows that are shorter than kPrefixSize, so they have no
//   prefix. One of them is the empty key.
// The absent keys have the same prefixes, or as many other prefixes. Up to
// `num_short` of the absent keys have no prefix.
Dataset PrefixedDataset(uint64_t seed, size_t num_prefixes,
                        size_t rows_per_prefix, size_t num_short);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
