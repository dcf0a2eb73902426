// SPDX-License-Identifier: Apache-2.0

// Writes a trie like that of Cassandra's Partitions.db (BtiFormat.md), but does
// not align its nodes to pages.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// A child of a node: the byte that leads to the child, and the distance to it
// in the file.
using TrieChild = std::pair<uint8_t, uint64_t>;

// Whether a node of `type` can have these children.
bool FitsTrieNode(int type, bool has_payload,
                  const std::vector<TrieChild>& children);

// The bytes of a node, without its payload. `children`: in the order of their
// bytes.
std::string EncodeTrieNode(int type, int payload_flags,
                           const std::vector<TrieChild>& children);

// The bytes of a node of the smallest possible type, without a payload. There
// must be at least one child.
std::string EncodeInnerNode(const std::vector<TrieChild>& children);

// Appends a node without children. Its payload is the low byte of the key's
// hash and a position.
void AppendLeaf(uint8_t hash, int64_t position, std::string* file);

struct TriePartition {
  // ComparableForm(key). CutPaths shortens it.
  std::string path;
  uint8_t hash;
  int64_t position;
};

// Cuts each path after the first byte that distinguishes it from both of its
// neighbours. `partitions` must be in the order of their paths.
void CutPaths(std::vector<TriePartition>* partitions);

// Appends the trie and returns the position of its root. CutPaths must have
// been called. There must be at least one partition.
uint64_t AppendTrie(const std::vector<TriePartition>& partitions,
                    std::string* file);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
