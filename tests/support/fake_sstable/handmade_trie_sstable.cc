// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/handmade_trie_sstable.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <regex>

#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

std::string CompressZstd(const std::string& bytes,
                         const std::string& dictionary) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress_usingDict(
      context, frame.data(), frame.size(), bytes.data(), bytes.size(),
      dictionary.data(), dictionary.size(), /*compressionLevel=*/3));
  ZSTD_freeCCtx(context);
  return frame;
}

std::string CompressDeflate(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string stream(size, '\0');
  compress(reinterpret_cast<Bytef*>(stream.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  stream.resize(size);
  return stream;
}

}  // namespace
std::string TriePayloadOf(const std::string& key, int64_t position, int size) {
  const Hash128 hash = CassandraMurmur3(key.data(), key.size());
  return static_cast<char>(hash.h2) +
         BigEndian(static_cast<uint64_t>(position), size);
}

std::string LeafAt(const std::string& key, int64_t position) {
  return EncodeTrieNode(0, 15, {}) + TriePayloadOf(key, ~position, 8);
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

std::string Compress(const std::string& compressor, const std::string& bytes,
                     const std::string& dictionary) {
  if (compressor == "LZ4Compressor" || compressor == "LZ4WithDictsCompressor") {
    return CompressLz4(bytes, dictionary);
  }
  if (compressor == "SnappyCompressor") {
    std::string compressed;
    snappy::Compress(bytes.data(), bytes.size(), &compressed);
    return compressed;
  }
  if (compressor == "DeflateCompressor") {
    return CompressDeflate(bytes);
  }
  if (compressor == "ZstdCompressor" ||
      compressor == "ZstdWithDictsCompressor") {
    return CompressZstd(bytes, dictionary);
  }
  return bytes;
}

CompressedData CompressData(const TrieSstable& sstable) {
  CompressedData compressed;
  std::vector<uint64_t> offsets;
  for (size_t at = 0; at < sstable.data.size(); at += sstable.chunk_length) {
    const std::string bytes = sstable.data.substr(at, sstable.chunk_length);
    offsets.push_back(compressed.data.size());
    compressed.data += WithChecksum(
        StoredChunk(Compress(sstable.compressor, bytes), bytes,
                    static_cast<size_t>(sstable.max_compressed_length)));
  }
  compressed.info = CompressionInfoOf(
      sstable.compressor, {}, static_cast<int64_t>(sstable.chunk_length),
      sstable.max_compressed_length, static_cast<int64_t>(sstable.data.size()),
      offsets);
  return compressed;
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
