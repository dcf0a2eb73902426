// SPDX-License-Identifier: Apache-2.0

// Compares the tests' own writer of SSTables with what Cassandra wrote. That an
// SSTable has the fault that a test asks for is seen in faults_test.cc. Nodes
// of tries: trie_node_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filterdb/sstable/index/trie_node.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/fake_statistics_db.h"
#include "filterdb/tests/fake_sstable/index_files.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

uint64_t NumberAt(const std::string& file, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number = number * 256 + static_cast<uint8_t>(file.at(at + i));
  }
  return number;
}

TEST(ComparableKeyTest, FormsAreCassandras) {
  const std::string folder = CassandraSstables()[0] + "/../s3_mixed1000";
  const std::vector<std::string> keys = HexLines(folder + "/keys.txt");
  const std::vector<std::string> forms = HexLines(folder + "/comparable.txt");
  ASSERT_EQ(keys.size(), 1000U);
  ASSERT_EQ(forms.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(ComparableForm(keys[i]), forms[i]) << i;
  }
}

TEST(ComparableKeyTest, OrderIsCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    const std::vector<std::string> keys = HexLines(folder + "/keys.txt");
    std::vector<std::string> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(keys.size() < 6 || sorted != keys);
    SortByToken(&sorted);
    EXPECT_EQ(sorted, keys);
  }
}

TEST(ComparableKeyTest, EmptyKeyIsBeforeAllOthers) {
  EXPECT_EQ(Murmur3Token(""), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ComparableForm(""),
            std::string("\x40\0\0\0\0\0\0\0\0\x40\0\x38", 12));
}

// The path and the hash of each leaf. The positions depend on the rows.
using Leaves = std::vector<std::pair<std::string, uint8_t>>;

// Adds the leaves below the node at `position`.
void AddLeaves(std::string_view trie, uint64_t position,
               const std::string& path, Leaves* leaves) {
  const std::string_view bytes = trie.substr(position);
  tools::TrieNode node;
  ASSERT_TRUE(tools::DecodeTrieNode(bytes, &node));
  if (node.num_slots == 0) {
    leaves->emplace_back(
        path,
        tools::DecodePayload(bytes.substr(node.size), node.payload_flags).hash);
  }
  for (int slot = 0; slot < node.num_slots; ++slot) {
    const auto [byte, distance] = tools::TransitionOf(bytes, node, slot);
    if (distance != 0) {
      AddLeaves(trie, position - distance, path + static_cast<char>(byte),
                leaves);
    }
  }
}

Leaves LeavesOf(const std::string& partitions_db) {
  Leaves leaves;
  AddLeaves(partitions_db, NumberAt(partitions_db, partitions_db.size() - 8, 8),
            "", &leaves);
  return leaves;
}

// Returns the first and the last key, and the number of keys.
std::pair<std::string, uint64_t> FooterOf(const std::string& partitions_db) {
  const size_t footer = partitions_db.size() - 24;
  const size_t keys = NumberAt(partitions_db, footer, 8);
  return {partitions_db.substr(keys, footer - keys),
          NumberAt(partitions_db, footer + 8, 8)};
}

TEST(FakeIndexFilesTest, SamePathsAndHashesAsCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    const std::vector<std::string> keys = HexLines(folder + "/keys.txt");
    std::vector<IndexedPartition> partitions;
    for (const std::string& key : keys) {
      partitions.push_back({key, 1000 * partitions.size(), false});
    }
    const std::string ours = TrieIndex(partitions, "\x80").partitions_db;
    const std::string theirs = ReadFile(folder + "/da-1-bti-Partitions.db");
    const Leaves leaves = LeavesOf(ours);
    EXPECT_EQ(leaves.size(), keys.size());
    EXPECT_EQ(leaves, LeavesOf(theirs));
    EXPECT_EQ(FooterOf(ours), FooterOf(theirs));
    EXPECT_EQ(FooterOf(ours).second, keys.size());
  }
}

// Returns VALIDATION with its checksum. It is the first part, and the table
// begins with the offsets of the first two.
std::string Validation(const std::string& statistics_db) {
  const size_t begin = NumberAt(statistics_db, 12, 4);
  return statistics_db.substr(begin, NumberAt(statistics_db, 20, 4) - begin);
}

TEST(FakeStatisticsDbTest, ValidationIsCassandras) {
  const std::string ours =
      StatisticsDb(StatisticsLayout::kTableAndChecks, 0.01, 7);
  for (const std::string& folder : CassandraSstables()) {
    EXPECT_EQ(Validation(ReadFile(folder + "/da-1-bti-Statistics.db")),
              Validation(ours))
        << folder;
  }
}

TEST(ChecksumsTest, DigestsAreCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    EXPECT_EQ(std::to_string(Crc32(ReadFile(folder + "/da-1-bti-Data.db"))),
              ReadFile(folder + "/da-1-bti-Digest.crc32"));
  }
  EXPECT_EQ(Adler32("Wikipedia"), 0x11e60398U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
