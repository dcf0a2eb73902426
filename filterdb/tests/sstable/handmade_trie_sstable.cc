// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/sstable/handmade_trie_sstable.h"

#include <filesystem>
#include <regex>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/sstable_keys.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

std::string LeafAt(const std::string& key, int64_t position) {
  return EncodeTrieNode(0, 15, {}) + TriePayloadOf(key, ~position, 8).bytes;
}

std::string PartitionsDbOf(const TrieSstable& sstable) {
  return sstable.nodes + WithLength(sstable.first_key) +
         WithLength(sstable.last_key) + BigEndian(sstable.nodes.size(), 8) +
         BigEndian(sstable.num_keys, 8) + BigEndian(sstable.root, 8);
}

TrieSstable SstableOf(const std::vector<std::string>& keys, size_t filler) {
  TrieSstable sstable;
  std::vector<uint64_t> leaves;
  for (const std::string& key : keys) {
    leaves.push_back(sstable.nodes.size());
    sstable.nodes += LeafAt(key, static_cast<int64_t>(sstable.data.size()));
    sstable.data += WithLength(key) + std::string(filler, '\x7f');
  }
  sstable.root = sstable.nodes.size();
  std::vector<TrieChild> children;
  for (size_t i = 0; i < keys.size(); ++i) {
    children.emplace_back(static_cast<uint8_t>(i), sstable.root - leaves[i]);
  }
  sstable.nodes += EncodeTrieNode(11, 0, children);
  sstable.num_keys = keys.size();
  sstable.first_key = keys.front();
  sstable.last_key = keys.back();
  return sstable;
}

CompressedData CompressData(const TrieSstable& sstable) {
  return CompressData(sstable.data, {sstable.compressor, sstable.chunk_length,
                                     sstable.max_compressed_length});
}

MadeFiles::MadeFiles(const TrieSstable& sstable) {
  Write("TOC.txt", "Data.db\n");
  Write("Partitions.db", PartitionsDbOf(sstable));
  Write("Rows.db", sstable.rows);
  if (sstable.compressor.empty()) {
    Write("Data.db", sstable.data);
    return;
  }
  const CompressedData compressed = CompressData(sstable);
  Write("Data.db", compressed.data);
  Write("CompressionInfo.db", compressed.info);
}

std::string MadeFiles::Path(const std::string& component) const {
  return dir_ / ("da-1-bti-" + component);
}

void MadeFiles::Write(const std::string& component,
                      const std::string& bytes) const {
  WriteFile(Path(component), bytes);
}

void MadeFiles::Remove(const std::string& component) const {
  std::filesystem::remove(Path(component));
}

std::unique_ptr<tools::SstableKeys> MadeFiles::Open(std::string* error) const {
  return tools::OpenSstableKeys(Path("Partitions.db"), "da",
                                tools::KeyChecks::kCheap, error);
}

KeysAndError MadeFiles::Read() const {
  KeysAndError read;
  try {
    const auto reader = Open(&read.error);
    if (reader != nullptr) {
      read = ReadKeys(reader.get());
    }
  } catch (const tools::NotSupported& error) {
    read.error = error.what();
  }
  read.error = WithoutFolders(read.error);
  return read;
}

std::string WithoutFolders(const std::string& text) {
  return std::regex_replace(text, std::regex("/[^ :]*/"), "");
}

}  // namespace cassandra_bloom::testing
