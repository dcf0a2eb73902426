// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/index_files.h"

#include "filterdb/tests/fake_sstable/comparable_key.h"
#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "filterdb/tests/fake_sstable/vint.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kPromotedIndexBytes = 40;

std::string IndexEntry(const IndexedPartition& partition, bool has_vints) {
  const size_t promoted = partition.is_wide ? kPromotedIndexBytes : 0;
  return WithLength(partition.key) +
         (has_vints
              ? UnsignedVInt(partition.position) + UnsignedVInt(promoted)
              : BigEndian(partition.position, 8) + BigEndian(promoted, 4)) +
         std::string(promoted, 'p');
}

// Appends a trie of rows that is a single node, and then the entry of the
// partition. Returns the position of the entry.
uint64_t AppendRowsEntry(const IndexedPartition& partition,
                         const std::string& deletion, std::string* file) {
  const uint64_t root = file->size();
  file->push_back('\0');
  const uint64_t entry = file->size();
  *file += WithLength(partition.key);
  const uint64_t base = file->size();
  // The 2 is the number of blocks of rows.
  *file += UnsignedVInt(partition.position) +
           VInt(static_cast<int64_t>(root - base)) + UnsignedVInt(2) + deletion;
  return entry;
}

}  // namespace

IndexFiles BigIndex(const std::vector<IndexedPartition>& partitions,
                    const VersionFacts& facts) {
  IndexFiles files;
  for (const IndexedPartition& partition : partitions) {
    files.offsets.push_back(files.index_db.size());
    files.index_db += IndexEntry(partition, facts.has_vints);
  }
  return files;
}

TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    const std::string& deletion) {
  TrieFiles files;
  std::vector<TriePartition> paths;
  paths.reserve(partitions.size());
  for (const IndexedPartition& partition : partitions) {
    const Hash128 hash =
        CassandraMurmur3(partition.key.data(), partition.key.size());
    const int64_t position = partition.is_wide
                                 ? static_cast<int64_t>(AppendRowsEntry(
                                       partition, deletion, &files.rows_db))
                                 : ~static_cast<int64_t>(partition.position);
    paths.push_back({ComparableForm(partition.key),
                     static_cast<uint8_t>(hash.h2), position});
  }
  CutPaths(&paths);
  std::string& file = files.partitions_db;
  const uint64_t root = AppendTrie(paths, &file);
  const uint64_t first_key_position = file.size();
  file += WithLength(partitions.front().key) +
          WithLength(partitions.back().key) + BigEndian(first_key_position, 8) +
          BigEndian(partitions.size(), 8) + BigEndian(root, 8);
  return files;
}

}  // namespace cassandra_bloom::testing
