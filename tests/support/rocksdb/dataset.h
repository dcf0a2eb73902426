// SPDX-License-Identifier: Apache-2.0

// The rows that a database is expected to contain, and keys that must be
// absent.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Ordered as by RocksDB's bytewise comparator.
using Rows = std::map<std::string, std::string>;

struct Dataset {
  Rows rows;
  std::vector<std::string> absent;
};

// ---- Numbered keys: no prefixes, and figures that can be exact ----

std::string ValueOf(const std::string& key);

// `key%06u`, as in set i of Cassandra's vectors.
std::string NumberedKey(uint32_t number);

// The rows are the numbered keys 0 ... n-1. The `num_absent` absent keys sort
// between them; otherwise RocksDB could skip a file because of its key range.
Dataset NumberedDataset(uint32_t n, uint32_t num_absent);

// The number of 64-bit words of a full filter of n entries at 10 bits each.
uint32_t NumWords(uint64_t n);

// The number of absent keys that a full filter of all rows, at 10 bits per key,
// must report absent. Computed without the plugin's code.
uint64_t ExpectedNegatives(const Dataset& dataset, int num_probes);

// ---- Keys with prefixes ----

constexpr size_t kPrefixSize = 4;

// A dataset of random keys, many with the top bit set. The rows are
// - `num_prefixes` prefixes with up to `rows_per_prefix` rows each; some rows
//   equal their prefix;
// - `num_short` rows outside the prefix domain: shorter than kPrefixSize, the
//   empty key among them.
// The absent keys have the same prefixes, or as many other prefixes;
// `num_short` of them are outside the domain.
Dataset PrefixedDataset(uint64_t seed, size_t num_prefixes,
                        size_t rows_per_prefix, size_t num_short);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_DATASET_H_
