// SPDX-License-Identifier: Apache-2.0

// Writes a trie as in Cassandra's Partitions.db (BtiFormat.md), but does not
// align the nodes to pages.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

// The byte that leads to a child, and the distance to the child in bytes.
using TrieChild = std::pair<uint8_t, uint64_t>;

// What a node says about a partition. The flags 0 mean that it says nothing.
struct TriePayload {
  int flags = 0;
  std::string bytes;  // They follow the node.
};

// The number of bits in a pointer, for each type of trie node.
inline constexpr int kPointerBits[16] = {0,  4,  8,  12, 16, 8,  12, 16,
                                         24, 40, 12, 16, 24, 32, 40, 64};

// Returns the pointers of a node. Two pointers of 12 bits share three bytes.
inline std::string Pointers(const std::vector<uint64_t>& distances, int bits) {
  std::string pointers;
  for (size_t i = 0; i < distances.size(); ++i) {
    if (bits != 12) {
      pointers += BigEndian(distances[i], bits / 8);
    } else if (i % 2 == 1) {
      pointers += BigEndian((distances[i - 1] << 12) | distances[i], 3);
    } else if (i + 1 == distances.size()) {
      pointers += BigEndian(distances[i] << 4, 2);
    }
  }
  return pointers;
}

using EncodeNode = std::string(const TriePayload& payload,
                               const std::vector<TrieChild>& children);
using PathIterator = std::map<std::string, TriePayload>::const_iterator;

// Appends the trie of the paths from `begin` on and before `end`. Their first
// `depth` bytes are equal.
inline uint64_t AppendSubtrie(PathIterator begin, PathIterator end,
                              size_t depth,
                              const std::function<EncodeNode>& encode,
                              std::string* file) {
  TriePayload payload;
  if (begin->first.size() == depth) {
    payload = begin->second;
    ++begin;
  }
  std::vector<TrieChild> children;
  while (begin != end) {
    const char byte = begin->first[depth];
    const auto next = std::find_if(begin, end, [&](const auto& path) {
      return path.first[depth] != byte;
    });
    children.emplace_back(static_cast<uint8_t>(byte),
                          AppendSubtrie(begin, next, depth + 1, encode, file));
    begin = next;
  }
  const uint64_t here = file->size();
  for (auto& [ignored, position_or_distance] : children) {
    position_or_distance = here - position_or_distance;
  }
  *file += encode(payload, children);
  return here;
}

// Returns the smallest number of bytes that hold `value` in two's complement.
inline int BytesOfSigned(int64_t value) {
  const auto bits = static_cast<uint64_t>(value < 0 ? ~value : value);
  int size = 1;
  while (size < 8 && bits >> (8 * size - 1) != 0) {
    ++size;
  }
  return size;
}

// Returns a payload of the low byte of the key's hash, and of a position of
// `size` bytes.
inline TriePayload TriePayloadOf(const std::string& key, int64_t position,
                                 int size) {
  const Hash128 hash = CassandraMurmur3(key.data(), key.size());
  return {7 + size, static_cast<char>(hash.h2) +
                        BigEndian(static_cast<uint64_t>(position), size)};
}

inline bool FitsTrieNode(int type, bool has_payload,
                         const std::vector<TrieChild>& children) {
  if (type == 0 || children.empty()) {
    return type == 0 && children.empty();
  }
  const size_t most_children = type < 5 ? 1 : type < 10 ? 255 : 256;
  if (((type == 1 || type == 3) && has_payload) ||
      children.size() > most_children) {
    return false;
  }
  return std::all_of(children.begin(), children.end(), [type](auto child) {
    return type == 15 || child.second >> kPointerBits[type] == 0;
  });
}

// Returns the bytes of a node without its payload. `children` must be sorted by
// the byte that leads to the child.
inline std::string EncodeTrieNode(int type, int payload_flags,
                                  const std::vector<TrieChild>& children) {
  const uint64_t only = children.empty() ? 0 : children[0].second;
  if (type == 1) {
    return BigEndian(0x10 | only, 1) + static_cast<char>(children[0].first);
  }
  if (type == 3) {
    return BigEndian(0x3000 | only, 2) + static_cast<char>(children[0].first);
  }
  std::string node(1, static_cast<char>(type << 4 | payload_flags));
  std::vector<uint64_t> distances;
  if (type < 10) {
    if (type >= 5) {
      node += static_cast<char>(children.size());
    }
    for (const auto& [byte, distance] : children) {
      node += static_cast<char>(byte);
      distances.push_back(distance);
    }
  } else {
    const uint8_t first = children.front().first;
    const auto last_index = static_cast<size_t>(children.back().first - first);
    node += static_cast<char>(first);
    node += static_cast<char>(last_index);
    distances.resize(last_index + 1);  // 0: no child
    for (const auto& [byte, distance] : children) {
      distances[static_cast<size_t>(byte - first)] = distance;
    }
  }
  return node + Pointers(distances, kPointerBits[type]);
}

// Appends a trie to `*file`, and returns the position of the root. `encode`
// returns the bytes of a node and of its payload.
inline uint64_t AppendTrie(
    const std::map<std::string, TriePayload>& payload_of_path,
    const std::function<EncodeNode>& encode, std::string* file) {
  return AppendSubtrie(payload_of_path.begin(), payload_of_path.end(), 0,
                       encode, file);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_PARTITION_TRIE_H_
