// SPDX-License-Identifier: Apache-2.0

// Writes a trie as in Cassandra's Partitions.db (BtiFormat.md), but does not
// align the nodes to pages.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The byte that leads to a child, and the distance to the child in bytes.
using TrieChild = std::pair<uint8_t, uint64_t>;

// What a node says about a partition. The flags 0 mean that it says nothing.
struct TriePayload {
  int flags = 0;
  std::string bytes;  // They follow the node.
};

// Returns the smallest number of bytes that hold `value` in two's complement.
int BytesOfSigned(int64_t value);

// Returns a payload of the low byte of the key's hash, and of a position of
// `size` bytes.
TriePayload TriePayloadOf(const std::string& key, int64_t position, int size);

bool FitsTrieNode(int type, bool has_payload,
                  const std::vector<TrieChild>& children);

// Returns the bytes of a node without its payload. `children` must be sorted by
// the byte that leads to the child.
std::string EncodeTrieNode(int type, int payload_flags,
                           const std::vector<TrieChild>& children);

// Appends a trie to `*file`, and returns the position of the root. `encode`
// returns the bytes of a node and of its payload.
using EncodeNode = std::string(const TriePayload& payload,
                               const std::vector<TrieChild>& children);
uint64_t AppendTrie(const std::map<std::string, TriePayload>& payload_of_path,
                    const std::function<EncodeNode>& encode, std::string* file);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
