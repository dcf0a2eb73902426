// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_partition_trie.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "tests/support/fake_sstable/big_endian_out.h"

namespace cassandra_bloom::testing {
namespace {

// A type of node with several children, and the bits of each pointer in it.
struct PointerType {
  int type;
  size_t bits;
};

constexpr PointerType kSparse[] = {{5, 8}, {6, 12}, {7, 16}, {8, 24}, {9, 40}};
constexpr PointerType kDense[] = {{10, 12}, {11, 16}, {12, 24},
                                  {13, 32}, {14, 40}, {15, 64}};

bool Fits(uint64_t distance, size_t bits) {
  return bits == 64 || distance >> bits == 0;
}

template <size_t N>
PointerType SmallestFor(const PointerType (&types)[N], uint64_t distance) {
  for (const PointerType& type : types) {
    if (Fits(distance, type.bits)) {
      return type;
    }
  }
  throw std::invalid_argument("a node too far from its child");
}

size_t BytesOf(size_t pointers, PointerType type) {
  return (pointers * type.bits + 7) / 8;
}

// 12-bit pointers follow each other without a gap; half a byte may be left over
// at the end.
void AppendPointers(const std::vector<uint64_t>& distances, PointerType type,
                    std::string* file) {
  if (type.bits != 12) {
    for (const uint64_t distance : distances) {
      AppendBigEndian(distance, type.bits / 8, file);
    }
    return;
  }
  for (size_t i = 0; i < distances.size(); i += 2) {
    if (i + 1 < distances.size()) {
      AppendBigEndian((distances[i] << 12) | distances[i + 1], 3, file);
    } else {
      AppendBigEndian(distances[i] << 4, 2, file);
    }
  }
}

void AppendHead(int type, std::string* file) {
  file->push_back(static_cast<char>(type << 4));
}

void AppendNodeOfOne(uint8_t byte, uint64_t distance, std::string* file) {
  if (distance < 0x10) {
    AppendBigEndian(0x10 | distance, 1, file);
    AppendBigEndian(byte, 1, file);
  } else if (distance < 0x100) {
    AppendHead(2, file);
    AppendBigEndian((uint64_t{byte} << 8) | distance, 2, file);
  } else if (distance < 0x1000) {
    AppendBigEndian(0x3000 | distance, 2, file);
    AppendBigEndian(byte, 1, file);
  } else {
    AppendHead(4, file);
    AppendBigEndian((uint64_t{byte} << 16) | distance, 3, file);
  }
}

void AppendSparse(const std::vector<TrieChild>& children, uint64_t here,
                  PointerType type, std::string* file) {
  AppendHead(type.type, file);
  AppendBigEndian(children.size(), 1, file);
  std::vector<uint64_t> distances;
  for (const TrieChild& child : children) {
    AppendBigEndian(child.byte, 1, file);
    distances.push_back(here - child.position);
  }
  AppendPointers(distances, type, file);
}

void AppendDense(const std::vector<TrieChild>& children, uint64_t here,
                 PointerType type, std::string* file) {
  const uint8_t first = children.front().byte;
  const auto last_index = static_cast<size_t>(children.back().byte - first);
  AppendHead(type.type, file);
  AppendBigEndian(first, 1, file);
  AppendBigEndian(last_index, 1, file);
  std::vector<uint64_t> distances(last_index + 1);  // 0: no child
  for (const TrieChild& child : children) {
    distances[static_cast<size_t>(child.byte - first)] = here - child.position;
  }
  AppendPointers(distances, type, file);
}

// Two's complement, in as few bytes as hold the number and its sign.
size_t BytesOfSigned(int64_t value) {
  const auto bits = static_cast<uint64_t>(value < 0 ? ~value : value);
  size_t size = 1;
  while (size < 8 && bits >> (8 * size - 1) != 0) {
    ++size;
  }
  return size;
}

// The partitions from `begin` to before `end` share the first `depth` bytes of
// their paths.
uint64_t AppendSubtrie(const std::vector<TriePartition>& partitions,
                       size_t begin, size_t end, size_t depth,
                       std::string* file) {
  if (partitions[begin].path.size() == depth) {
    if (end - begin != 1) {
      throw std::invalid_argument("paths that begin with another path");
    }
    const uint64_t here = file->size();
    AppendLeaf(partitions[begin].hash, partitions[begin].position, file);
    return here;
  }
  std::vector<TrieChild> children;
  while (begin < end) {
    const char byte = partitions[begin].path[depth];
    size_t next = begin + 1;
    while (next < end && partitions[next].path[depth] == byte) {
      ++next;
    }
    children.push_back(
        {static_cast<uint8_t>(byte),
         AppendSubtrie(partitions, begin, next, depth + 1, file)});
    begin = next;
  }
  const uint64_t here = file->size();
  AppendInnerNode(children, here, file);
  return here;
}

// The bytes up to and with the first that differs.
size_t DifferenceLength(const std::string& a, const std::string& b) {
  const auto [in_a, in_b] =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() || in_b == b.end()) {
    throw std::invalid_argument("the same key twice");
  }
  return static_cast<size_t>(in_a - a.begin()) + 1;
}

}  // namespace

void AppendInnerNode(const std::vector<TrieChild>& children, uint64_t here,
                     std::string* file) {
  uint64_t farthest = 0;
  for (const TrieChild& child : children) {
    farthest = std::max(farthest, here - child.position);
  }
  if (children.size() == 1 && Fits(farthest, 16)) {
    AppendNodeOfOne(children[0].byte, farthest, file);
    return;
  }
  const size_t span =
      static_cast<size_t>(children.back().byte - children.front().byte) + 1;
  const PointerType dense = SmallestFor(kDense, farthest);
  // No sparse node has pointers of more than 40 bits.
  if (Fits(farthest, 40)) {
    const PointerType sparse = SmallestFor(kSparse, farthest);
    const size_t sparse_size =
        2 + children.size() + BytesOf(children.size(), sparse);
    if (children.size() < 256 && sparse_size <= 3 + BytesOf(span, dense)) {
      AppendSparse(children, here, sparse, file);
      return;
    }
  }
  AppendDense(children, here, dense, file);
}

void AppendLeaf(uint8_t hash, int64_t position, std::string* file) {
  const size_t size = BytesOfSigned(position);
  AppendBigEndian(7 + size, 1, file);
  AppendBigEndian(hash, 1, file);
  AppendBigEndian(static_cast<uint64_t>(position), size, file);
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
