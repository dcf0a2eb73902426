// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

struct IndexedPartition {
  std::string key;
  uint64_t position;  // In the uncompressed Data.db.
  bool is_wide;
};

// Returns Index.db. Since version `ma`, its numbers are vints.
std::string BigIndex(const std::vector<IndexedPartition>& partitions,
                     bool has_vints);

struct TrieFiles {
  std::string partitions_db;
  std::string rows_db;
};

// `deletion` is the encoded deletion time that marks a partition as not
// deleted.
TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    const std::string& deletion);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_
