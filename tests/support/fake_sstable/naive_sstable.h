// SPDX-License-Identifier: Apache-2.0

// Reads the index of an SSTable in the plainest way. Shares no code with the
// SSTable writer of the tests, because it checks this writer.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/index/trie_node.h"

namespace cassandra_bloom::testing {

inline uint8_t NaiveByte(const std::string& file, uint64_t at) {
  return static_cast<uint8_t>(file.at(at));
}

inline uint64_t NaiveNumber(const std::string& file, uint64_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number = number * 256 + NaiveByte(file, at + i);
  }
  return number;
}

struct NaiveTrieEntry {
  std::string path;
  uint8_t hash;
  int64_t position;

  friend bool operator==(const NaiveTrieEntry& a, const NaiveTrieEntry& b) {
    return a.path == b.path && a.hash == b.hash && a.position == b.position;
  }
};

struct NaiveTrieChild {
  uint8_t byte;
  uint64_t position;
};

// Reads the trie in a Partitions.db. `file` has the bytes of Partitions.db from
// position `base` on. Nodes are decoded with filterdb's code, which
// trie_node_test.cc compares with Cassandra's nodes.
class NaiveTrie {
 public:
  explicit NaiveTrie(const std::string& file, uint64_t base = 0)
      : file_(file), base_(base) {}

  std::vector<NaiveTrieEntry> Walk(uint64_t root) {
    entries_.clear();
    Visit(root, "");
    return entries_;
  }

  std::vector<NaiveTrieChild> Children(uint64_t position) const {
    const std::string_view bytes = BytesAt(position);
    const tools::TrieNode node = Decode(bytes);
    std::vector<NaiveTrieChild> children;
    for (int slot = 0; slot < node.num_slots; ++slot) {
      const auto [byte, distance] = tools::TransitionOf(bytes, node, slot);
      if (distance != 0) {
        children.push_back({byte, position - distance});
      }
    }
    return children;
  }

 private:
  std::string_view BytesAt(uint64_t position) const {
    return std::string_view(file_).substr(position - base_);
  }

  static tools::TrieNode Decode(std::string_view bytes) {
    tools::TrieNode node;
    if (!tools::DecodeTrieNode(bytes, &node)) {
      throw std::runtime_error("a node ends beyond the file");
    }
    return node;
  }

  // Adds an entry for each leaf below the node at `position`. In Partitions.db,
  // only leaves have a payload.
  void Visit(uint64_t position, const std::string& path) {
    const std::vector<NaiveTrieChild> children = Children(position);
    if (children.empty()) {
      const std::string_view bytes = BytesAt(position);
      const tools::TrieNode node = Decode(bytes);
      const tools::TriePayload payload =
          tools::DecodePayload(bytes.substr(node.size), node.payload_flags);
      entries_.push_back({path, payload.hash, payload.position});
    }
    for (const NaiveTrieChild& child : children) {
      Visit(child.position, path + static_cast<char>(child.byte));
    }
  }

  const std::string& file_;
  const uint64_t base_;
  std::vector<NaiveTrieEntry> entries_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_NAIVE_SSTABLE_H_
