// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_partition_trie.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

// The number of bits in a pointer, for each type of trie node.
constexpr size_t kPointerBits[16] = {0,  4,  8,  12, 16, 8,  12, 16,
                                     24, 40, 12, 16, 24, 32, 40, 64};

bool Reaches(int type, uint64_t distance) {
  return type == 15 || distance >> kPointerBits[type] == 0;
}

// Returns the first type, from `type` on, whose pointers have enough bits for
// `distance`.
int TypeFor(int type, uint64_t distance) {
  while (!Reaches(type, distance)) {
    ++type;
  }
  return type;
}

size_t BytesOf(size_t pointers, int type) {
  return (pointers * kPointerBits[type] + 7) / 8;
}

// Returns the pointers of a node. Two pointers of 12 bits share three bytes.
std::string Pointers(const std::vector<uint64_t>& distances, int type) {
  const int bits = static_cast<int>(kPointerBits[type]);
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

// Returns the smallest number of bytes that hold `value` in two's complement.
int BytesOfSigned(int64_t value) {
  const auto bits = static_cast<uint64_t>(value < 0 ? ~value : value);
  int size = 1;
  while (size < 8 && bits >> (8 * size - 1) != 0) {
    ++size;
  }
  return size;
}

// Returns a leaf node. Its payload is `hash`, the low byte of the key's hash,
// and `position`.
std::string EncodeLeaf(uint8_t hash, int64_t position) {
  const int size = BytesOfSigned(position);
  return BigEndian(static_cast<uint64_t>(7 + size), 1) +
         static_cast<char>(hash) +
         BigEndian(static_cast<uint64_t>(position), size);
}

// Returns the smallest node for these children. There must be at least one.
std::string EncodeInnerNode(const std::vector<TrieChild>& children) {
  uint64_t farthest = 0;
  for (const auto& [byte, distance] : children) {
    farthest = std::max(farthest, distance);
  }
  if (children.size() == 1 && TypeFor(1, farthest) < 5) {
    return EncodeTrieNode(TypeFor(1, farthest), 0, children);
  }
  const auto span =
      static_cast<size_t>(children.back().first - children.front().first) + 1;
  const int dense = TypeFor(10, farthest);
  const int sparse = TypeFor(5, farthest);
  const bool is_sparse =
      sparse < 10 && children.size() < 256 &&
      2 + children.size() + BytesOf(children.size(), sparse) <=
          3 + BytesOf(span, dense);
  return EncodeTrieNode(is_sparse ? sparse : dense, 0, children);
}

// Appends the trie of the partitions `begin` to `end` - 1. The first `depth`
// bytes of their paths are equal. Returns the position of the root.
uint64_t AppendSubtrie(const std::vector<TriePartition>& partitions,
                       size_t begin, size_t end, size_t depth,
                       std::string* file) {
  if (partitions[begin].path.size() == depth) {
    if (end - begin != 1) {
      throw std::invalid_argument("paths that begin with another path");
    }
    const uint64_t here = file->size();
    *file += EncodeLeaf(partitions[begin].hash, partitions[begin].position);
    return here;
  }
  std::vector<TrieChild> children;
  while (begin < end) {
    const char byte = partitions[begin].path[depth];
    size_t next = begin + 1;
    while (next < end && partitions[next].path[depth] == byte) {
      ++next;
    }
    children.emplace_back(
        static_cast<uint8_t>(byte),
        AppendSubtrie(partitions, begin, next, depth + 1, file));
    begin = next;
  }
  const uint64_t here = file->size();
  for (auto& [ignored, position_or_distance] : children) {
    position_or_distance = here - position_or_distance;
  }
  file->append(EncodeInnerNode(children));
  return here;
}

// Returns the number of bytes up to and including the first different byte.
size_t DifferenceLength(const std::string& a, const std::string& b) {
  const auto [in_a, in_b] =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() || in_b == b.end()) {
    throw std::invalid_argument("the same key twice");
  }
  return static_cast<size_t>(in_a - a.begin()) + 1;
}

}  // namespace

bool FitsTrieNode(int type, bool has_payload,
                  const std::vector<TrieChild>& children) {
  if (type == 0 || children.empty()) {
    return type == 0 && children.empty();
  }
  if (((type == 1 || type == 3) && has_payload) ||
      (type < 5 && children.size() != 1) || children.size() > 255) {
    return false;
  }
  return std::all_of(
      children.begin(), children.end(),
      [type](const auto& child) { return Reaches(type, child.second); });
}

std::string EncodeTrieNode(int type, int payload_flags,
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
  return node + Pointers(distances, type);
}

void CutPaths(std::vector<TriePartition>* partitions) {
  size_t differs_from_last = 0;
  for (size_t i = 0; i < partitions->size(); ++i) {
    std::string& path = (*partitions)[i].path;
    const size_t differs_from_next =
        i + 1 < partitions->size()
            ? DifferenceLength(path, (*partitions)[i + 1].path)
            : 0;
    path.resize(std::max(differs_from_last, differs_from_next));
    path.shrink_to_fit();
    differs_from_last = differs_from_next;
  }
}

uint64_t AppendTrie(const std::vector<TriePartition>& partitions,
                    std::string* file) {
  return AppendSubtrie(partitions, 0, partitions.size(), 0, file);
}

}  // namespace cassandra_bloom::testing
