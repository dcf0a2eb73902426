// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/index_files.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kPromotedIndexBytes = 40;

// Returns h1 of the key's hash in the order of unsigned numbers. The empty key
// is the lowest.
uint64_t OrderedToken(const std::string& key) {
  constexpr uint64_t kSignBit = uint64_t{1} << 63;
  return key.empty() ? 0
                     : CassandraMurmur3(key.data(), key.size()).h1 ^ kSignBit;
}

// Appends a trie of rows that is a single node, and then the entry of the
// partition. Returns the position of the entry.
uint64_t AppendRowsEntry(const IndexedPartition& partition,
                         const std::string& deletion, std::string* file) {
  const uint64_t root = file->size();
  file->push_back('\0');
  const uint64_t entry = file->size();
  *file += WithLength(partition.key);
  // The distance to the root is negative. As a signed vint of Cassandra, -1, -2
  // and -3 are the unsigned vints 1, 3 and 5.
  const uint64_t distance = 2 * (file->size() - root) - 1;
  // The 2 is the number of blocks of rows.
  *file += UnsignedVInt(partition.position) + UnsignedVInt(distance) +
           UnsignedVInt(2) + deletion;
  return entry;
}

}  // namespace

std::string UnsignedVInt(uint64_t value, int more) {
  if (more == 8) {
    return "\xff" + BigEndian(value, 8);
  }
  std::string bytes = BigEndian(value, more + 1);
  bytes[0] = static_cast<char>(bytes[0] | (0xff00 >> more));
  return bytes;
}

std::string UnsignedVInt(uint64_t value) {
  int more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) {
    ++more;
  }
  return UnsignedVInt(value, more);
}

void SortByToken(std::vector<std::string>* keys) {
  std::sort(keys->begin(), keys->end(), [](const auto& a, const auto& b) {
    return std::pair(OrderedToken(a), a) < std::pair(OrderedToken(b), b);
  });
}

std::string BigIndex(const std::vector<IndexedPartition>& partitions) {
  std::string index;
  for (const auto& [key, position, is_wide] : partitions) {
    const size_t promoted = is_wide ? kPromotedIndexBytes : 0;
    index += WithLength(key) + UnsignedVInt(position) + UnsignedVInt(promoted) +
             std::string(promoted, 'p');
  }
  return index;
}

TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    const std::string& deletion) {
  TrieFiles files;
  std::map<std::string, TriePayload> payloads;
  for (const IndexedPartition& partition : partitions) {
    const int64_t position = partition.is_wide
                                 ? static_cast<int64_t>(AppendRowsEntry(
                                       partition, deletion, &files.rows_db))
                                 : ~static_cast<int64_t>(partition.position);
    payloads[BigEndian(OrderedToken(partition.key), 8)] =
        TriePayloadOf(partition.key, position, BytesOfSigned(position));
  }
  std::string& file = files.partitions_db;
  const uint64_t root = AppendTrie(payloads, SmallestTrieNode, &file);
  const uint64_t first_key_position = file.size();
  file += WithLength(partitions.front().key) +
          WithLength(partitions.back().key) + BigEndian(first_key_position, 8) +
          BigEndian(partitions.size(), 8) + BigEndian(root, 8);
  return files;
}

}  // namespace cassandra_bloom::testing
