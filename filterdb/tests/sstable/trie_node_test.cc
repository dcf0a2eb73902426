// SPDX-License-Identifier: Apache-2.0

// Tests decoding trie nodes with nodes that Cassandra's TrieNode wrote.

#include "filterdb/sstable/index/trie_node.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/cassandra_data.h"

namespace cassandra_bloom::tools {
namespace {

using cassandra_bloom::testing::EncodeTrieNode;
using cassandra_bloom::testing::FromHex;
using cassandra_bloom::testing::ReadCassandraTable;
using cassandra_bloom::testing::TrieChild;

// Returns the children of a node in the format of the test data.
std::string TransitionsOf(std::string_view bytes, const TrieNode& node,
                          uint64_t position, std::vector<TrieChild>* children) {
  std::string transitions;
  for (int i = 0; i < node.num_slots; ++i) {
    const TrieTransition transition = TransitionOf(bytes, node, i);
    if (transition.distance == 0) {
      EXPECT_GE(node.type, kFirstTypeWithAbsentChildren);
      continue;
    }
    children->emplace_back(transition.byte, transition.distance);
    transitions += (transitions.empty() ? "" : ",") +
                   std::to_string(transition.byte) + ":" +
                   std::to_string(position - transition.distance);
  }
  return transitions.empty() ? "-" : transitions;
}

TEST(TrieNodeTest, DecodesWhatCassandraSerialised) {
  const auto table = ReadCassandraTable("trie_nodes.tsv");
  EXPECT_EQ(table.size(), 96U);
  std::set<int> types;
  for (const std::vector<std::string>& row : table) {
    ASSERT_EQ(row.size(), 7U);
    SCOPED_TRACE(row[1] + " " + row[5]);
    const std::string bytes = FromHex(row[5]);
    TrieNode node;
    ASSERT_TRUE(DecodeTrieNode(bytes, &node));
    EXPECT_EQ(node.type, std::stoi(row[0]));
    EXPECT_EQ(node.payload_flags, std::stoi(row[3]));
    EXPECT_EQ(node.size, std::stoul(row[4]));
    EXPECT_EQ(node.size, bytes.size());
    EXPECT_LE(node.size + PayloadSize(node.payload_flags), kMaxTrieNodeSize);
    std::vector<TrieChild> children;
    EXPECT_EQ(TransitionsOf(bytes, node, std::stoull(row[2]), &children),
              row[6]);
    // Other tests rely on EncodeTrieNode, so it must give Cassandra's bytes.
    EXPECT_EQ(EncodeTrieNode(node.type, node.payload_flags, children), bytes);
    types.insert(node.type);

    TrieNode again;
    ASSERT_TRUE(DecodeTrieNode(bytes + "more", &again));
    EXPECT_EQ(again.size, node.size);
    for (size_t size = 0; size < bytes.size(); ++size) {
      // The buffer ends with the cut node, so that a sanitizer notices a read
      // beyond its end.
      const std::unique_ptr<char[]> cut(new char[size]);
      bytes.copy(cut.get(), size);
      EXPECT_FALSE(DecodeTrieNode({cut.get(), size}, &again)) << size;
    }
  }
  EXPECT_EQ(types.size(), 16U);
}

TEST(TrieNodeTest, DecodesPayloads) {
  for (int size = 1; size <= 8; ++size) {
    SCOPED_TRACE(size);
    const uint64_t all = ~uint64_t{0} >> (64 - 8 * size);
    const auto largest = static_cast<int64_t>(all >> 1);
    for (const int64_t position : {int64_t{0}, int64_t{-1}, int64_t{100},
                                   int64_t{-128}, largest, -largest - 1}) {
      std::string bytes = "\x9a";
      for (int i = size - 1; i >= 0; --i) {
        bytes += static_cast<char>(static_cast<uint64_t>(position) >> (8 * i));
      }
      ASSERT_EQ(PayloadSize(7 + size), bytes.size());
      const TriePayload hashed = DecodePayload(bytes, 7 + size);
      EXPECT_TRUE(hashed.has_hash);
      EXPECT_EQ(hashed.hash, 0x9a);
      EXPECT_EQ(hashed.position, position);
      if (size < 8) {
        ASSERT_EQ(PayloadSize(size), bytes.size() - 1);
        const TriePayload plain = DecodePayload(bytes.substr(1), size);
        EXPECT_FALSE(plain.has_hash);
        EXPECT_EQ(plain.position, position);
      }
    }
  }
  EXPECT_EQ(PayloadSize(0), 0U);
}

}  // namespace
}  // namespace cassandra_bloom::tools
