// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/comparable_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/cassandra_data.h"
#include "tests/support/fake_sstable/cassandra_sstables.h"
#include "tests/support/fake_sstable/index_files.h"
#include "tests/support/fake_sstable/naive_sstable.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

TEST(ComparableKeyTest, FormsAreCassandras) {
  const std::string folder = CassandraSstable("s3_mixed1000");
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

// Leaves out the positions, because they depend on the rows.
std::vector<NaiveTrieEntry> PathsAndHashes(const std::string& partitions_db) {
  const uint64_t root = NaiveNumber(partitions_db, partitions_db.size() - 8, 8);
  std::vector<NaiveTrieEntry> entries = NaiveTrie(partitions_db).Walk(root);
  for (NaiveTrieEntry& entry : entries) {
    entry.position = 0;
  }
  return entries;
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
    const std::vector<NaiveTrieEntry> entries = PathsAndHashes(ours);
    EXPECT_EQ(entries.size(), keys.size());
    EXPECT_EQ(entries, PathsAndHashes(theirs));
    // Compares the first key, the last key and the number of keys.
    const uint64_t our_keys = NaiveNumber(ours, ours.size() - 24, 8);
    const uint64_t their_keys = NaiveNumber(theirs, theirs.size() - 24, 8);
    EXPECT_EQ(ours.substr(our_keys, ours.size() - 24 - our_keys),
              theirs.substr(their_keys, theirs.size() - 24 - their_keys));
    EXPECT_EQ(NaiveNumber(ours, ours.size() - 16, 8), keys.size());
    EXPECT_EQ(NaiveNumber(theirs, theirs.size() - 16, 8), keys.size());
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
