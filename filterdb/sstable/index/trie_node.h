// SPDX-License-Identifier: Apache-2.0

// Decodes the nodes of the tries in Partitions.db.
//
// The upper four bits of a node's first byte are its type. The lower four bits
// are payload flags, or a part of a pointer. Numbers are big-endian. A pointer
// is the distance in bytes from the node back to a child.
//
//   type   after the first byte
//   0      nothing, because the node has no children
//   1      transition byte; the pointer is the lower 4 bits of the first byte
//   3      8 bits of pointer, transition byte; 4 upper bits in the first byte
//   2, 4   transition byte, pointer of 8 or 16 bits
//   5-9    count, `count` bytes, `count` pointers of 8, 12, 16, 24, 40 bits
//   10-15  byte of the first slot, number of slots - 1, and for each slot a
//          pointer of 12, 16, 24, 32, 40, 64 bits, or 0 if there is no child
//
// Two pointers of 12 bits take three bytes. If a node has a payload, the
// payload follows the node. (org.apache.cassandra.io.tries.TrieNode and
// io.sstable.format.bti.PartitionIndex in cassandra-5.0.1; ScyllaDB's
// sstables/trie/bti_node_reader.cc and bti_partition_index_writer.cc.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_TRIE_NODE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_TRIE_NODE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cassandra_bloom::tools {

struct TrieNode {
  int type = 0;           // From 0 to 15.
  int payload_flags = 0;  // From 0 to 15; 0 means no payload.
  int num_slots = 0;      // Children. In types 10 to 15, absent ones count.
  size_t size = 0;        // In bytes, without the payload.
};

struct TrieTransition {
  uint8_t byte = 0;
  uint64_t distance = 0;  // In bytes from child to node; 0 if no child.
};

// The payload of a partition.
struct TriePayload {
  bool has_hash = false;
  uint8_t hash = 0;  // Low byte of h2 of the key's hash, if has_hash.
  // If negative, ~position is the offset in Data.db. Otherwise, position is the
  // offset in Rows.db.
  int64_t position = 0;
};

// In these types, a distance of 0 stands for an absent child.
constexpr int kFirstTypeWithAbsentChildren = 10;

// The largest node with its payload, in bytes: 256 pointers of 64 bits.
constexpr size_t kMaxTrieNodeSize = 3 + 256 * 8 + 9;

namespace trie_node_internal {

constexpr int kSingleNoPayload4 = 1;
constexpr int kSingle8 = 2;
constexpr int kSingleNoPayload12 = 3;
constexpr int kSingle16 = 4;
constexpr int kFirstDense = kFirstTypeWithAbsentChildren;

constexpr size_t kPointerBits[16] = {0,  4,  8,  12, 16, 8,  12, 16,
                                     24, 40, 12, 16, 24, 32, 40, 64};

// If the payload flags are at least this number, the payload begins with a byte
// of the key's hash (PartitionIndex.FLAG_HAS_HASH_BYTE).
constexpr int kHasHash = 8;

inline uint8_t ByteAt(std::string_view bytes, size_t at) {
  return static_cast<uint8_t>(bytes[at]);
}

inline uint64_t BigEndian(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = at; i < at + size; ++i) {
    number = number << 8 | ByteAt(bytes, i);
  }
  return number;
}

// Returns pointer number `i` of the array of pointers that begins at byte `at`.
inline uint64_t PointerAt(std::string_view bytes, size_t at, size_t bits,
                          size_t i) {
  if (bits != 12) {
    return BigEndian(bytes, at + i * (bits / 8), bits / 8);
  }
  const uint64_t two_bytes = BigEndian(bytes, at + 3 * i / 2, 2);
  return i % 2 == 0 ? two_bytes >> 4 : two_bytes & 0xfff;
}

inline size_t SizeOfPointers(size_t count, size_t bits) {
  return (count * bits + 7) / 8;
}

}  // namespace trie_node_internal

// The payload may be missing. Returns false if `bytes` ends within the node.
inline bool DecodeTrieNode(std::string_view bytes, TrieNode* node) {
  using namespace trie_node_internal;
  if (bytes.empty()) {
    return false;
  }
  const int type = ByteAt(bytes, 0) >> 4;
  node->type = type;
  node->payload_flags = ByteAt(bytes, 0) & 0xf;
  if (type == 0) {
    node->num_slots = 0;
    node->size = 1;
    return true;
  }
  if (type == kSingleNoPayload4 || type == kSingleNoPayload12) {
    node->payload_flags = 0;
    node->num_slots = 1;
    node->size = type == kSingleNoPayload4 ? 2 : 3;
  } else if (type == kSingle8 || type == kSingle16) {
    node->num_slots = 1;
    node->size = type == kSingle8 ? 3 : 4;
  } else if (type < kFirstDense) {
    if (bytes.size() < 2) {
      return false;
    }
    const size_t count = ByteAt(bytes, 1);
    node->num_slots = static_cast<int>(count);
    node->size = 2 + count + SizeOfPointers(count, kPointerBits[type]);
  } else {
    if (bytes.size() < 3) {
      return false;
    }
    const size_t count = size_t{ByteAt(bytes, 2)} + 1;
    node->num_slots = static_cast<int>(count);
    node->size = 3 + SizeOfPointers(count, kPointerBits[type]);
  }
  return node->size <= bytes.size();
}

// `slot` is from 0 to num_slots - 1. The transition byte increases with `slot`.
inline TrieTransition TransitionOf(std::string_view bytes, const TrieNode& node,
                                   int slot) {
  using namespace trie_node_internal;
  const auto i = static_cast<size_t>(slot);
  const size_t bits = kPointerBits[node.type];
  switch (node.type) {
    case kSingleNoPayload4:
      return {ByteAt(bytes, 1), ByteAt(bytes, 0) & uint64_t{0xf}};
    case kSingleNoPayload12:
      return {ByteAt(bytes, 2), BigEndian(bytes, 0, 2) & 0xfff};
    case kSingle8:
    case kSingle16:
      return {ByteAt(bytes, 1), PointerAt(bytes, 2, bits, 0)};
    default:
      break;
  }
  if (node.type < kFirstDense) {
    const auto count = static_cast<size_t>(node.num_slots);
    return {ByteAt(bytes, 2 + i), PointerAt(bytes, 2 + count, bits, i)};
  }
  return {static_cast<uint8_t>(ByteAt(bytes, 1) + i),
          PointerAt(bytes, 3, bits, i)};
}

// Returns the size of a payload in bytes. `payload_flags` is from 0 to 15.
inline size_t PayloadSize(int payload_flags) {
  using namespace trie_node_internal;
  return static_cast<size_t>(payload_flags < kHasHash ? payload_flags
                                                      : payload_flags - 6);
}

// `bytes` holds the whole payload. `payload_flags` is from 1 to 15.
inline TriePayload DecodePayload(std::string_view bytes, int payload_flags) {
  using namespace trie_node_internal;
  TriePayload payload;
  payload.has_hash = payload_flags >= kHasHash;
  size_t at = 0;
  if (payload.has_hash) {
    payload.hash = ByteAt(bytes, at++);
  }
  const size_t size = PayloadSize(payload_flags) - at;
  const size_t unused_bits = 64 - 8 * size;
  // The right shift copies the sign bit.
  payload.position =
      static_cast<int64_t>(BigEndian(bytes, at, size) << unused_bits) >>
      unused_bits;
  return payload;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_TRIE_NODE_H_
