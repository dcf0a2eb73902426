// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/sstable/trie_node.h"

namespace cassandra_bloom::tools {
namespace {

constexpr int kSingleNoPayload4 = 1;
constexpr int kSingle8 = 2;
constexpr int kSingleNoPayload12 = 3;
constexpr int kSingle16 = 4;
constexpr int kFirstDense = 10;

constexpr size_t kPointerBits[16] = {0,  4,  8,  12, 16, 8,  12, 16,
                                     24, 40, 12, 16, 24, 32, 40, 64};

// Flags from this one on: a byte of hash comes before the position.
// (PartitionIndex.FLAG_HAS_HASH_BYTE.)
constexpr int kHasHash = 8;

uint8_t ByteAt(std::string_view bytes, size_t at) {
  return static_cast<uint8_t>(bytes[at]);
}

uint64_t BigEndian(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = at; i < at + size; ++i) {
    number = number << 8 | ByteAt(bytes, i);
  }
  return number;
}

// Pointer number `i` of those that begin at `at`.
uint64_t PointerAt(std::string_view bytes, size_t at, size_t bits, size_t i) {
  if (bits != 12) {
    return BigEndian(bytes, at + i * (bits / 8), bits / 8);
  }
  const uint64_t two_bytes = BigEndian(bytes, at + 3 * i / 2, 2);
  return i % 2 == 0 ? two_bytes >> 4 : two_bytes & 0xfff;
}

size_t SizeOfPointers(size_t count, size_t bits) {
  return (count * bits + 7) / 8;
}

}  // namespace

bool DecodeTrieNode(std::string_view bytes, TrieNode* node) {
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

bool MayHaveAbsentChildren(const TrieNode& node) {
  return node.type >= kFirstDense;
}

TrieTransition TransitionOf(std::string_view bytes, const TrieNode& node,
                            int slot) {
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

size_t PayloadSize(int payload_flags) {
  return static_cast<size_t>(payload_flags < kHasHash ? payload_flags
                                                      : payload_flags - 6);
}

TriePayload DecodePayload(std::string_view bytes, int payload_flags) {
  TriePayload payload;
  payload.has_hash = payload_flags >= kHasHash;
  size_t at = 0;
  if (payload.has_hash) {
    payload.hash = ByteAt(bytes, at++);
  }
  const size_t size = PayloadSize(payload_flags) - at;
  const size_t unused_bits = 64 - 8 * size;
  // The shift to the right copies the sign.
  payload.position =
      static_cast<int64_t>(BigEndian(bytes, at, size) << unused_bits) >>
      unused_bits;
  return payload;
}

}  // namespace cassandra_bloom::tools
