// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_partition_trie.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/naive_sstable.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

struct NodeCase {
  size_t type;
  // The distance to each child, in bytes. 0 means that there is no child.
  std::vector<uint64_t> distances;
  size_t gap;
};

std::vector<NodeCase> NodeCases() {
  const std::vector<NodeCase> few = {
      {1, {15}, 1},
      {2, {16}, 1},
      {2, {0xff}, 1},
      {3, {0x100}, 1},
      {3, {0xfff}, 1},
      {4, {0x1000}, 1},
      {4, {0xffff}, 1},
      {8, {0x10000}, 1},
      {13, {0x1000000}, 1},
      {5, {0xff, 1}, 255},
      {6, {0x100, 0xfff}, 255},
      {6, {0xabc, 0x123, 0xfff}, 100},
      {7, {0x1000, 0xffff}, 255},
      {8, {0x10000, 0xffffff}, 255},
      {9, {0x1000000, 0xffffffffff}, 255},
      {5, {1, 2, 3}, 1},
      {10, {0xabc, 0xfff, 0x123, 1}, 1},
      {10, {0xabc, 0, 0xfff, 0x123, 1}, 1},
      {11, {0x1000, 1, 0xffff}, 1},
      {12, {0x10000, 1, 0xffffff}, 1},
      {13, {0x1000000, 1, 0xffffffff}, 1},
      {14, {0x100000000, 1, 0xffffffffff}, 1},
      {15, {0x10000000000, 1, uint64_t{1} << 62}, 1},
  };
  std::vector<NodeCase> cases = few;
  std::vector<uint64_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = 10 * i + 1;
  }
  cases.push_back({10, all, 1});
  return cases;
}

TEST(FakePartitionTrieTest, NodesOfAllTypes) {
  constexpr uint64_t kHere = uint64_t{1} << 62;
  for (const NodeCase& node : NodeCases()) {
    SCOPED_TRACE(node.type);
    SCOPED_TRACE(node.distances[0]);
    std::vector<TrieChild> children;
    for (size_t i = 0; i < node.distances.size(); ++i) {
      if (node.distances[i] != 0) {
        children.emplace_back(static_cast<uint8_t>(i * node.gap),
                              node.distances[i]);
      }
    }
    const std::string file = EncodeInnerNode(children);
    EXPECT_EQ(static_cast<uint8_t>(file[0]) >> 4, node.type);
    const std::vector<NaiveTrieChild> read =
        NaiveTrie(file, kHere).Children(kHere);
    ASSERT_EQ(read.size(), children.size());
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].byte, children[i].first);
      EXPECT_EQ(read[i].position, kHere - children[i].second);
    }
  }
}

TEST(FakePartitionTrieTest, LeavesOfAllPositions) {
  std::vector<int64_t> positions = {0, -1, std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
  for (int bit = 1; bit < 63; ++bit) {
    const int64_t power = int64_t{1} << bit;
    positions.insert(positions.end(), {power, power - 1, -power, ~power});
  }
  for (const int64_t position : positions) {
    for (const int hash : {0, 0x7f, 0x80, 0xff}) {
      std::string file;
      AppendLeaf(static_cast<uint8_t>(hash), position, &file);
      const std::vector<NaiveTrieEntry> entries = NaiveTrie(file).Walk(0);
      EXPECT_EQ(entries, std::vector<NaiveTrieEntry>(
                             {{"", static_cast<uint8_t>(hash), position}}));
      EXPECT_EQ(file.size(), 2U + static_cast<uint8_t>(file[0]) - 7U);
    }
  }
  std::string file;
  AppendLeaf(1, -128, &file);
  EXPECT_EQ(file, "\x08\x01\x80");
  AppendLeaf(1, 128, &file);
  EXPECT_EQ(file, std::string("\x08\x01\x80\x09\x01\0\x80", 7));
}

TEST(FakePartitionTrieTest, PathsAreShortestThatDiffer) {
  std::vector<TriePartition> partitions = {
      {"abcdef", 1, 1}, {"abcxyz", 2, 2}, {"abczzz", 3, 3}, {"bcd", 4, 4}};
  CutPaths(&partitions);
  EXPECT_EQ(partitions[0].path, "abcd");
  EXPECT_EQ(partitions[1].path, "abcx");
  EXPECT_EQ(partitions[2].path, "abcz");
  EXPECT_EQ(partitions[3].path, "b");
  std::vector<TriePartition> one = {{"abc", 1, 1}};
  CutPaths(&one);
  EXPECT_EQ(one[0].path, "");
  std::vector<TriePartition> twice = {{"abc", 1, 1}, {"abc", 2, 2}};
  EXPECT_THROW(CutPaths(&twice), std::invalid_argument);
}

TEST(FakePartitionTrieTest, TrieOfManyPathsIsRead) {
  const uint64_t seed = Seed();
  SCOPED_TRACE(seed);
  uint64_t random = seed;
  std::vector<TriePartition> partitions;
  for (int i = 0; i < 50000; ++i) {
    // Makes paths of 8 bytes. Each path is larger than the last path by a
    // random gap.
    const uint64_t gap = NextRandom(&random) >> (20 + NextRandom(&random) % 30);
    const uint64_t last =
        partitions.empty() ? 0 : NaiveNumber(partitions.back().path, 0, 8);
    std::string next(8, '\0');
    for (size_t byte = 0; byte < 8; ++byte) {
      next[byte] = static_cast<char>((last + gap + 1) >> (8 * (7 - byte)));
    }
    partitions.push_back({next, static_cast<uint8_t>(i), -i - 1});
  }
  std::vector<NaiveTrieEntry> expected;
  std::vector<TriePartition> cut = partitions;
  CutPaths(&cut);
  for (const TriePartition& partition : cut) {
    expected.push_back({partition.path, partition.hash, partition.position});
  }
  std::string file = "something before the trie";
  const uint64_t root = AppendTrie(cut, &file);
  NaiveTrie trie(file);
  EXPECT_TRUE(trie.Walk(root) == expected);
}

}  // namespace
}  // namespace cassandra_bloom::testing
