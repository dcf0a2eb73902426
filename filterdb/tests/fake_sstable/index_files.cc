// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/index_files.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "filterdb/tests/fake_sstable/vint.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kPromotedIndexBytes = 40;
constexpr char kNextPart = '\x40';
constexpr char kEnd = '\x38';

// Appends the bytes of `key`, and then a mark of their end. n zero bytes within
// the key become 00, then n - 1 times FE, then FF. If the key does not end with
// a zero byte, the mark is 00. If the key ends with n zero bytes, they become
// 00, then n times FE. These bytes are then also the mark.
void AppendEscaped(std::string_view key, std::string* out) {
  bool is_after_zero = false;
  for (const char byte : key) {
    if (byte == '\0') {
      out->push_back(is_after_zero ? '\xfe' : '\0');
    } else {
      out->append(is_after_zero ? "\xff" : "");
      out->push_back(byte);
    }
    is_after_zero = byte == '\0';
  }
  out->push_back(is_after_zero ? '\xfe' : '\0');
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

// Returns the number of bytes up to and including the first different byte.
size_t DifferenceLength(const std::string& a, const std::string& b) {
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin() +
      1);
}

}  // namespace

int64_t Murmur3Token(std::string_view key) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  if (key.empty()) {
    return kLowest;
  }
  const auto token =
      static_cast<int64_t>(CassandraMurmur3(key.data(), key.size()).h1);
  return token == kLowest ? std::numeric_limits<int64_t>::max() : token;
}

void SortByToken(std::vector<std::string>* keys) {
  std::map<std::string, std::string> key_of_form;
  for (const std::string& key : *keys) {
    key_of_form[ComparableForm(key)] = key;
  }
  keys->clear();
  for (const auto& [form, key] : key_of_form) {
    keys->push_back(key);
  }
}

std::string ComparableForm(std::string_view key) {
  constexpr uint64_t kSignBit = uint64_t{1} << 63;
  std::string form =
      kNextPart +
      BigEndian(static_cast<uint64_t>(Murmur3Token(key)) ^ kSignBit, 8) +
      kNextPart;
  AppendEscaped(key, &form);
  form.push_back(kEnd);
  return form;
}

std::string BigIndex(const std::vector<IndexedPartition>& partitions,
                     bool has_vints) {
  std::string index;
  for (const auto& [key, position, is_wide] : partitions) {
    const size_t promoted = is_wide ? kPromotedIndexBytes : 0;
    index += WithLength(key) +
             (has_vints ? UnsignedVInt(position) + UnsignedVInt(promoted)
                        : BigEndian(position, 8) + BigEndian(promoted, 4)) +
             std::string(promoted, 'p');
  }
  return index;
}

TrieFiles TrieIndex(const std::vector<IndexedPartition>& partitions,
                    const std::string& deletion) {
  std::vector<std::string> forms;
  for (const IndexedPartition& partition : partitions) {
    forms.push_back(ComparableForm(partition.key));
  }
  TrieFiles files;
  std::map<std::string, TriePayload> payloads;
  for (size_t i = 0; i < partitions.size(); ++i) {
    // A path is the shortest beginning that differs from the form before and
    // from the one after it.
    size_t length = i == 0 ? 0 : DifferenceLength(forms[i], forms[i - 1]);
    if (i + 1 < forms.size()) {
      length = std::max(length, DifferenceLength(forms[i], forms[i + 1]));
    }
    const auto& [key, in_data, is_wide] = partitions[i];
    const int64_t position = is_wide
                                 ? static_cast<int64_t>(AppendRowsEntry(
                                       partitions[i], deletion, &files.rows_db))
                                 : ~static_cast<int64_t>(in_data);
    payloads[forms[i].substr(0, length)] =
        TriePayloadOf(key, position, BytesOfSigned(position));
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
