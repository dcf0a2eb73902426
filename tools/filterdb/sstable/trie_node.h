// SPDX-License-Identifier: Apache-2.0

// The nodes of the tries in Partitions.db, as bytes.
//
// A node's first byte is its type in the upper four bits; the lower four are
// payload flags, or a part of a pointer. Numbers are big-endian. A pointer is
// the distance from the child back to the node, because children are written
// before their parents.
//
//   type   after the first byte
//   0      nothing: no children
//   1      the transition's byte; the pointer is the lower four bits
//   3      4 more bits of pointer in the first byte, 8 bits of pointer, byte
//   2, 4   byte, pointer of 8 or 16 bits
//   5-9    count, `count` bytes, `count` pointers of 8, 12, 16, 24, 40 bits
//   10-15  first byte, number of slots - 1, that many pointers of 12, 16, 24,
//          32, 40, 64 bits; those of absent children are 0
//
// Pointers of 12 bits are packed, two in three bytes. The payload follows the
// node. Types 1 and 3 have none.
//
// (org.apache.cassandra.io.tries.TrieNode and
// io.sstable.format.bti.PartitionIndex in cassandra-5.0.1; ScyllaDB's
// sstables/trie/bti_node_reader.cc and bti_partition_index_writer.cc agree.)

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SSTABLE_TRIE_NODE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SSTABLE_TRIE_NODE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cassandra_bloom::tools {

struct TrieNode {
  int type = 0;           // 0 ... 15
  int payload_flags = 0;  // 0 ... 15; 0: no payload
  int num_slots = 0;      // Children, and the absent ones of types 10 to 15.
  size_t size = 0;        // In bytes, without the payload.
};

struct TrieTransition {
  uint8_t byte = 0;
  uint64_t distance = 0;  // From the child to the node; 0: no child.
};

// The payload of a partition.
struct TriePayload {
  bool has_hash = false;
  uint8_t hash = 0;      // Valid if has_hash: the low byte of the key's h2.
  int64_t position = 0;  // < 0: ~position in Data.db; >= 0: in Rows.db.
};

// The largest node with its payload: 256 pointers of 64 bits.
constexpr size_t kMaxTrieNodeSize = 3 + 256 * 8 + 9;

// `bytes` begins with the node. Returns false if it ends within the node. The
// payload need not be there.
bool DecodeTrieNode(std::string_view bytes, TrieNode* node);

// Whether a distance of 0 stands for an absent child (types 10 to 15).
bool MayHaveAbsentChildren(const TrieNode& node);

// `bytes` and `node`: as for DecodeTrieNode. `slot`: 0 ... num_slots - 1. The
// bytes of the slots increase.
TrieTransition TransitionOf(std::string_view bytes, const TrieNode& node,
                            int slot);

// In bytes, for flags of 0 ... 15.
size_t PayloadSize(int payload_flags);

// `bytes` begins with the payload and holds all of it. `payload_flags`: 1 ...
// 15.
TriePayload DecodePayload(std::string_view bytes, int payload_flags);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SSTABLE_TRIE_NODE_H_
