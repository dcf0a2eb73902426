// SPDX-License-Identifier: Apache-2.0

// The rows that a database must hold, and keys that it must not.

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

// ---- Keys in a row: whole keys only, and figures that can be exact ----

std::string ValueOf(const std::string& key);

// `key%06u`, as in set i of Cassandra's vectors.
std::string NumberedKey(uint32_t number);

// The numbered keys 0 ... n-1; absent are `num_absent` others that sort between
// them, so that no file is left out for its key range.
Dataset NumberedDataset(uint32_t n, uint32_t num_absent);

// 64-bit words of a full filter of n entries at 10 bits each.
uint32_t NumWords(uint64_t n);

// For how many of the absent keys the full filter of all rows, at 10 bits each,
// must say so, by code that shares nothing with ours.
uint64_t ExpectedNegatives(const Dataset& dataset, int num_probes);

// ---- Keys with prefixes ----

constexpr size_t kPrefixSize = 4;

// Random bytes, the top bit set in many of them, with
// - `num_prefixes` prefixes, each with up to `rows_per_prefix` rows, some of
//   them equal to the prefix;
// - `num_short` rows out of the prefixes' domain: shorter than kPrefixSize, the
//   empty key among them.
// Absent are keys of the same prefixes, keys of as many other prefixes, and
// `num_short` keys out of the domain.
Dataset PrefixedDataset(uint64_t seed, size_t num_prefixes,
                        size_t rows_per_prefix, size_t num_short);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
