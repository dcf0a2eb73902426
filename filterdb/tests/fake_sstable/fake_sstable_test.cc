// SPDX-License-Identifier: Apache-2.0

// Compares the tests' own writer of SSTables with what Cassandra wrote. That an
// SSTable has the fault that a test asks for is seen in faults_test.cc. Nodes
// of tries: trie_node_test.cc.

#include "filterdb/tests/fake_sstable/fake_sstable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/data_db/open_data_db.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/index/trie_node.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_statistics_db.h"
#include "filterdb/tests/fake_sstable/index_files.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::AnyOf;

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
  std::vector<std::string> folders = CassandraSstables();
  for (const std::string& folder : RecordedSstables()) {
    if (!ComponentIn(folder, "Partitions.db").empty()) {
      folders.push_back(folder);
    }
  }
  EXPECT_EQ(folders.size(), CassandraSstables().size() + 10);
  for (const std::string& folder : folders) {
    SCOPED_TRACE(folder);
    const std::vector<std::string> keys = HexLines(folder + "/keys.txt");
    std::vector<IndexedPartition> partitions;
    for (const std::string& key : keys) {
      partitions.push_back({key, 1000 * partitions.size(), false});
    }
    const std::string ours = TrieIndex(partitions, "\x80").partitions_db;
    const std::string theirs = ReadFile(ComponentIn(folder, "Partitions.db"));
    const Leaves leaves = LeavesOf(ours);
    EXPECT_EQ(leaves.size(), keys.size());
    EXPECT_EQ(leaves, LeavesOf(theirs));
    EXPECT_EQ(FooterOf(ours), FooterOf(theirs));
    EXPECT_EQ(FooterOf(ours).second, keys.size());
  }
}

// The SSTables of all versions that Cassandra wrote.
struct Recorded {
  explicit Recorded(const std::string& in_folder) : folder(in_folder) {
    std::string error;
    EXPECT_TRUE(SstableVersionOfFileName(ComponentIn(folder, "Data.db"),
                                         &version, &error))
        << error;
    known = FindSstableVersion(version);
    keys = HexLines(folder + "/keys.txt");
  }

  std::string Read(const std::string& component) const {
    return ReadFile(ComponentIn(folder, component));
  }
  bool Has(const std::string& component) const {
    return !ComponentIn(folder, component).empty();
  }
  // The same keys as the tests' own writer writes them.
  WrittenSstable Fake(const TempDir& dir) const {
    SstableSpec spec = SpecOf(version, FilterFault::kNone,
                              PlannedFpChance(folder), keys.size());
    spec.folder = dir.path();
    spec.keys = keys;
    return WriteSstable(spec);
  }

  std::string folder;
  std::string version;
  const SstableVersion* known;
  std::vector<std::string> keys;
};

std::vector<Recorded> AllRecorded() {
  std::vector<Recorded> all;
  for (const std::string& folder : RecordedSstables()) {
    all.emplace_back(folder);
  }
  return all;
}

// Nothing here is wide, and a small SSTable has no second level in its
// Index.db.
TEST(FakeIndexFilesTest, IndexDbIsCassandras) {
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    const std::string path = ComponentIn(recorded.folder, "Index.db");
    if (path.empty() || EndsWith(recorded.folder, "_wide")) {
      continue;
    }
    std::string error;
    const auto index = tools::OpenIndexDb(path, recorded.known->index, &error);
    ASSERT_NE(index, nullptr) << error;
    std::vector<IndexedPartition> partitions;
    for (tools::IndexEntry entry; index->Next(&entry);) {
      partitions.push_back({std::string(*entry.key), entry.position, false});
    }
    EXPECT_EQ(partitions.size(), recorded.keys.size());
    EXPECT_TRUE(BigIndex(partitions, recorded.known->index ==
                                         IndexKind::kVInt) == ReadFile(path));
  }
}

// The numbers before the first part of a Statistics.db with a table.
constexpr size_t kBeforeTable = 4;

// Returns VALIDATION with its checksum. It is the first part, and the table
// has the type and the offset of each.
std::string Validation(const std::string& statistics_db, bool has_checks) {
  const size_t table = kBeforeTable + (has_checks ? 4 : 0);
  const size_t begin = NumberAt(statistics_db, table + 4, 4);
  return statistics_db.substr(begin,
                              NumberAt(statistics_db, table + 12, 4) - begin);
}

// Returns the part STATS, which is the third.
std::string Stats(const std::string& statistics_db, bool has_checks) {
  const size_t table = kBeforeTable + (has_checks ? 4 : 0);
  EXPECT_EQ(NumberAt(statistics_db, table + 16, 4), 2U);
  return statistics_db.substr(NumberAt(statistics_db, table + 20, 4));
}

TEST(FakeStatisticsDbTest, LayoutIsCassandras) {
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    const TempDir dir;
    const std::string ours = ReadFile(recorded.Fake(dir).Path("Statistics.db"));
    const std::string theirs = recorded.Read("Statistics.db");
    const auto layout = recorded.known->statistics;
    const bool has_checks =
        layout == cassandra_bloom::StatisticsLayout::kTableWithChecksums;
    if (has_checks || layout == cassandra_bloom::StatisticsLayout::kTable) {
      EXPECT_EQ(Validation(ours, has_checks), Validation(theirs, has_checks));
      // Before `ma`, Cassandra writes no HEADER.
      EXPECT_EQ(NumberAt(ours, 0, 4), 4U);
      EXPECT_EQ(NumberAt(theirs, 0, 4),
                recorded.known->form == kBeforeMa ? 3U : 4U);
      // The number of buckets of a histogram. Cassandra 5.0 added some.
      EXPECT_EQ(NumberAt(Stats(ours, has_checks), 0, 4), 151U);
      EXPECT_THAT(NumberAt(Stats(theirs, has_checks), 0, 4), AnyOf(151U, 156U));
      continue;
    }
    // Two histograms, numbers, and the partitioner.
    const size_t partitioner = ours.find("org.apache");
    EXPECT_EQ(partitioner, theirs.find("org.apache"));
    EXPECT_EQ(NumberAt(ours, 0, 4), NumberAt(theirs, 0, 4));
    const size_t second = 4 + 16 * NumberAt(ours, 0, 4);
    EXPECT_EQ(NumberAt(ours, second, 4), NumberAt(theirs, second, 4));
    if (recorded.version[0] == 'j') {
      // Before the partitioner: its length, the compression ratio, the chance.
      EXPECT_EQ(NumberAt(ours, partitioner - 18, 8),
                NumberAt(theirs, partitioner - 18, 8));
    }
  }
}

TEST(CompressedDataTest, CompressionInfoIsCassandras) {
  size_t compressed = 0;
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    if (!recorded.Has("CompressionInfo.db")) {
      continue;
    }
    ++compressed;
    std::string error;
    const auto info = tools::CompressionInfo::Open(
        ComponentIn(recorded.folder, "CompressionInfo.db"),
        recorded.known->has_max_compressed_length, &error);
    ASSERT_NE(info, nullptr) << error;
    const std::string theirs = recorded.Read("CompressionInfo.db");
    std::vector<uint64_t> offsets;
    for (size_t at = info->offsets_at; at < theirs.size(); at += 8) {
      offsets.push_back(NumberAt(theirs, at, 8));
    }
    EXPECT_EQ(offsets.size(),
              info->num_chunks + (info->has_empty_chunk ? 1 : 0));
    const auto longest = recorded.known->has_max_compressed_length
                             ? std::optional<int64_t>(INT32_MAX)
                             : std::nullopt;
    EXPECT_EQ(
        CompressionInfoOf(info->compressor, {}, 4096, longest,
                          static_cast<int64_t>(info->data_length), offsets),
        theirs);
  }
  EXPECT_EQ(compressed, 63U);
}

// The beginning of the first partition: its key, and that it is not deleted.
// Until `ic`, the size of the partition stands between the two.
TEST(FakeSstableTest, PartitionsBeginAsCassandras) {
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    if (recorded.version[0] == 'i' || !EndsWith(recorded.folder, "_plain")) {
      continue;
    }
    const TempDir dir;
    const std::string ours = ReadFile(recorded.Fake(dir).Path("Data.db"));
    const size_t size =
        ours.find("rrrr");  // What follows the deletion is filler.
    EXPECT_EQ(ours.substr(0, size), recorded.Read("Data.db").substr(0, size));
  }
}

TEST(FakeSstableTest, FiltersAreCassandras) {
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    if (!EndsWith(recorded.folder, "_wide")) {
      const TempDir dir;
      EXPECT_TRUE(ReadFile(recorded.Fake(dir).Path("Filter.db")) ==
                  recorded.Read("Filter.db"));
    }
  }
}

TEST(ChecksumsTest, DigestsAreCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    EXPECT_EQ(std::to_string(Crc32(ReadFile(folder + "/da-1-bti-Data.db"))),
              ReadFile(folder + "/da-1-bti-Digest.crc32"));
  }
  for (const Recorded& recorded : AllRecorded()) {
    SCOPED_TRACE(recorded.folder);
    const std::string data = recorded.Read("Data.db");
    if (recorded.Has("Digest.crc32")) {
      EXPECT_EQ(std::to_string(Crc32(data)), recorded.Read("Digest.crc32"));
    }
    if (recorded.Has("Digest.adler32")) {
      EXPECT_EQ(std::to_string(Adler32(data)), recorded.Read("Digest.adler32"));
    }
  }
  EXPECT_EQ(Adler32("Wikipedia"), 0x11e60398U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
