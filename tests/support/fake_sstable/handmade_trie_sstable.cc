// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/handmade_trie_sstable.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "plugin/filter/murmur3.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/read_keys.h"
#include "tools/sstable/sstable_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr int kPointerBits[16] = {0,  4,  8,  12, 16, 8,  12, 16,
                                  24, 40, 12, 16, 24, 32, 40, 64};

// Pointers of any width are hexadecimal digits in a row.
std::string Digits(uint64_t number, int bits) {
  std::string digits;
  for (int at = bits - 4; at >= 0; at -= 4) {
    digits += "0123456789abcdef"[(number >> at) & 0xf];
  }
  return digits;
}

std::string BytesOfDigits(std::string digits) {
  if (digits.size() % 2 != 0) {
    digits += '0';
  }
  return FromHex(digits);
}

char FirstByte(int type, int low_bits) {
  return static_cast<char>(type << 4 | low_bits);
}

std::string CompressLz4(const std::string& bytes,
                        const std::string& dictionary) {
  LZ4_stream_t* const stream = LZ4_createStream();
  LZ4_loadDict(stream, dictionary.data(), static_cast<int>(dictionary.size()));
  const int size = static_cast<int>(bytes.size());
  std::string block(static_cast<size_t>(LZ4_compressBound(size)), '\0');
  block.resize(static_cast<size_t>(
      LZ4_compress_fast_continue(stream, bytes.data(), block.data(), size,
                                 static_cast<int>(block.size()), 1)));
  LZ4_freeStream(stream);
  std::string length = BigEndian(bytes.size(), 4);
  std::reverse(length.begin(), length.end());
  return length + block;
}

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

bool FitsTrieNode(int type, bool has_payload,
                  const std::vector<TrieChild>& children) {
  if (type == 0 || children.empty()) {
    return type == 0 && children.empty();
  }
  if (((type == 1 || type == 3) && has_payload) ||
      (type < 5 && children.size() != 1) || children.size() > 255) {
    return false;
  }
  const int bits = kPointerBits[type];
  return std::all_of(children.begin(), children.end(), [bits](auto child) {
    return bits == 64 || child.second >> bits == 0;
  });
}

std::string EncodeTrieNode(int type, int payload_flags,
                           const std::vector<TrieChild>& children) {
  if (type == 0) {
    return {FirstByte(type, payload_flags)};
  }
  const int bits = kPointerBits[type];
  if (type == 1 || type == 3) {
    return BytesOfDigits(Digits(uint64_t(type), 4) +
                         Digits(children[0].second, bits) +
                         Digits(children[0].first, 8));
  }
  std::string node = {FirstByte(type, payload_flags)};
  std::string pointers;
  if (type < 10) {
    if (type >= 5) {
      node += static_cast<char>(children.size());
    }
    for (const auto& [byte, distance] : children) {
      node += static_cast<char>(byte);
      pointers += Digits(distance, bits);
    }
  } else {
    const int first = children.front().first;
    node += static_cast<char>(first);
    node += static_cast<char>(children.back().first - first);
    int next = first;
    for (const auto& [byte, distance] : children) {
      for (; next < byte; ++next) {
        pointers += Digits(0, bits);
      }
      pointers += Digits(distance, bits);
      ++next;
    }
  }
  return node + BytesOfDigits(pointers);
}

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

std::string WithChecksum(const std::string& bytes) {
  return bytes +
         BigEndian(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()),
                         static_cast<uInt>(bytes.size())),
                   4);
}

std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets) {
  std::string info = WithLength(compressor) + BigEndian(options.size(), 4);
  for (const auto& [name, value] : options) {
    info += WithLength(name) + WithLength(value);
  }
  info += BigEndian(static_cast<uint64_t>(chunk_length), 4);
  if (max_compressed_length) {
    info += BigEndian(static_cast<uint64_t>(*max_compressed_length), 4);
  }
  info += BigEndian(static_cast<uint64_t>(data_length), 8) +
          BigEndian(offsets.size(), 4);
  for (const uint64_t offset : offsets) {
    info += BigEndian(offset, 8);
  }
  return info;
}

// As io.compress.CompressedSequentialWriter.flushData.
CompressedData CompressData(const TrieSstable& sstable) {
  const auto max_compressed =
      static_cast<size_t>(sstable.max_compressed_length);
  CompressedData compressed;
  std::vector<uint64_t> offsets;
  for (size_t at = 0; at < sstable.data.size(); at += sstable.chunk_length) {
    const std::string bytes = sstable.data.substr(at, sstable.chunk_length);
    std::string chunk = Compress(sstable.compressor, bytes);
    if (chunk.size() >= max_compressed) {
      chunk = bytes;
      chunk.resize(std::max(chunk.size(), max_compressed));
    }
    offsets.push_back(compressed.data.size());
    compressed.data += WithChecksum(chunk);
  }
  compressed.info = CompressionInfoOf(
      sstable.compressor, {}, static_cast<int64_t>(sstable.chunk_length),
      sstable.max_compressed_length, static_cast<int64_t>(sstable.data.size()),
      offsets);
  return compressed;
}

MadeFiles::MadeFiles(const TrieSstable& sstable) {
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

std::unique_ptr<KeyReader> MadeFiles::Open(std::string* error) const {
  return tools::OpenSstableKeys(Path("Partitions.db"), "da",
                                tools::KeyChecks::kCheap, error);
}

KeysAndError MadeFiles::Read() const {
  KeysAndError read;
  const std::unique_ptr<KeyReader> reader = Open(&read.error);
  if (reader != nullptr) {
    read = ReadKeys(reader.get());
  }
  read.error = WithoutFolders(read.error);
  return read;
}

std::string WithoutFolders(const std::string& text) {
  return std::regex_replace(text, std::regex("/[^ :]*/"), "");
}

}  // namespace cassandra_bloom::testing
