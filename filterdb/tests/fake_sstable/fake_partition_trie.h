// SPDX-License-Identifier: Apache-2.0

// Writes a trie as in Cassandra's Partitions.db (BtiFormat.md), but does not
// align the nodes to pages.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The byte that leads to a child, and the distance to the child in bytes.
using TrieChild = std::pair<uint8_t, uint64_t>;

bool FitsTrieNode(int type, bool has_payload,
                  const std::vector<TrieChild>& children);

// Returns the bytes of a node without its payload. `children` must be sorted by
// the byte that leads to the child.
std::string EncodeTrieNode(int type, int payload_flags,
                           const std::vector<TrieChild>& children);

struct TriePartition {
  // The result of ComparableForm for the key. CutPaths shortens it.
  std::string path;
  uint8_t hash;
  int64_t position;
};

// Shortens each path to the shortest beginning that differs from the paths
// before and after it. `partitions` must be sorted by path.
void CutPaths(std::vector<TriePartition>* partitions);

// Appends a trie to `*file`, and returns the position of the root. CutPaths
// must have been called for `partitions` before.
uint64_t AppendTrie(const std::vector<TriePartition>& partitions,
                    std::string* file);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
