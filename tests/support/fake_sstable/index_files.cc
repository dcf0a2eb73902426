// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/index_files.h"

#include "plugin/filter/murmur3.h"
#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/comparable_key.h"
#include "tests/support/fake_sstable/fake_partition_trie.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kPromotedIndexBytes = 40;

void AppendIndexEntry(const IndexedPartition& partition, bool has_vints,
                      std::string* file) {
  const size_t promoted_bytes = partition.is_wide ? kPromotedIndexBytes : 0;
  AppendWithLength(partition.key, file);
  if (has_vints) {
    AppendUnsignedVInt(partition.position, file);
    AppendUnsignedVInt(promoted_bytes, file);
  } else {
    AppendBigEndian(partition.position, 8, file);
    AppendBigEndian(promoted_bytes, 4, file);
  }
  file->append(promoted_bytes, 'p');
}

// Appends a trie of rows that is a single node, and then the entry of the
// partition. Returns the position of the entry.
uint64_t AppendRowsEntry(const IndexedPartition& partition,
                         std::string_view deletion, std::string* file) {
  const uint64_t root = file->size();
  file->push_back('\0');
  const uint64_t entry = file->size();
  AppendWithLength(partition.key, file);
  const uint64_t base = file->size();
  AppendUnsignedVInt(partition.position, file);
  AppendVInt(static_cast<int64_t>(root - base), file);
  AppendUnsignedVInt(2, file);  // Number of blocks of rows.
  file->append(deletion);
  return entry;
}

}  // namespace

IndexFiles BigIndex(const std::vector<IndexedPartition>& partitions,
                    const VersionFacts& facts) {
  IndexFiles files;
  for (const IndexedPartition& partition : partitions) {
    files.offsets.push_back(files.index_db.size());
    AppendIndexEntry(partition, facts.has_vints, &files.index_db);
  }
  return files;
}

TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    std::string_view deletion) {
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
  AppendWithLength(partitions.front().key, &file);
  AppendWithLength(partitions.back().key, &file);
  AppendBigEndian(first_key_position, 8, &file);
  AppendBigEndian(partitions.size(), 8, &file);
  AppendBigEndian(root, 8, &file);
  return files;
}

}  // namespace cassandra_bloom::testing
