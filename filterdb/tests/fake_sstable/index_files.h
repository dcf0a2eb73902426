// SPDX-License-Identifier: Apache-2.0

// Index.db, Partitions.db and Rows.db, and the order of keys in them.

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

// Returns an unsigned vint of Cassandra with `more` bytes after the first byte,
// which begins with as many 1 bits. If `more` is below 8, `value` must fit into
// 7 * (more + 1) bits.
std::string UnsignedVInt(uint64_t value, int more);
// Returns the shortest one.
std::string UnsignedVInt(uint64_t value);

// Returns Index.db as since version `ma`.
std::string BigIndex(const std::vector<IndexedPartition>& partitions);

struct TrieFiles {
  std::string partitions_db;
  std::string rows_db;
};

// `deletion` is the encoded deletion time that marks a partition as not
// deleted. The paths are the tokens of the keys, which are longer than
// Cassandra's. No reader looks at them.
TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    const std::string& deletion);

// Sorts by token, as org.apache.cassandra.dht.Murmur3Partitioner does, then by
// the bytes of the key.
void SortByToken(std::vector<std::string>* keys);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_
