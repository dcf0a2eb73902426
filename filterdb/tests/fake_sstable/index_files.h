// SPDX-License-Identifier: Apache-2.0

// Index.db, Partitions.db and Rows.db, and the order of keys in them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
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

// Returns the token of a key, as org.apache.cassandra.dht.Murmur3Partitioner
// does. The token is h1 of the key's hash, with two exceptions. The token of
// the empty key is the lowest int64_t. If h1 of another key is the lowest
// int64_t, the token is the highest int64_t.
int64_t Murmur3Token(std::string_view key);

// Sorts by token, then by the bytes of the key.
void SortByToken(std::vector<std::string>* keys);

// Returns a key's token and the key in Cassandra's byte-comparable form
// (version OSS50). An SSTable has its partitions in the byte order of these
// forms.
std::string ComparableForm(std::string_view key);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_INDEX_FILES_H_
