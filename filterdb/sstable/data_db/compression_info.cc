// SPDX-License-Identifier: Apache-2.0

// CompressionInfo.db tells how the Data.db of an SSTable is compressed.
//
//    name of the compressor       uint16 length, then the bytes
//    number of options            int32
//    each option: name, value     for both: uint16 length, then the bytes
//    length of a chunk            int32, uncompressed bytes, a power of two
//    longest compressed chunk     int32, only since `na`, and in DSE's
//    length of the data           int64, uncompressed bytes
//    number of chunks             int32
//    offset of each chunk         int64, position in Data.db
//
// In Cassandra 6, a dictionary may follow. Its chunks are then decompressed
// with it, whatever the name of the compressor is:
//
//    kind                         1 byte, 0 for Zstandard
//    number                       int64
//    the dictionary               int32 length, then the bytes
//    checksum                     CRC-32C of kind, number and bytes; the
//                                 number is little-endian in this sum
//
// In Data.db, 4 bytes of checksum follow each chunk. A chunk stays uncompressed
// if compression would not make it shorter than the "longest compressed chunk".
// An SSTable that Cassandra has rewritten has one more chunk after the data,
// which has 0 bytes of data. (io.compress.CompressionMetadata and
// CompressedSequentialWriter in cassandra-5.0.1; sstables::compression in
// sstables/compress.hh of ScyllaDB; an SSTable of Cassandra's trunk for the
// dictionary.)
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/data_db/open_data_db.h"
#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

constexpr size_t kOffsetSize = 8;
constexpr uint64_t kChunkChecksumSize = 4;
// The largest power of two that an int32 holds.
constexpr int64_t kMaxChunkLength = int64_t{1} << 30;
// In bytes, all parts together. ScyllaDB's dictionaries have 110 KiB.
constexpr size_t kMaxDictionarySize = size_t{1} << 20;

// ScyllaDB writes the names of Cassandra's classes with this package
// (compression_parameters::name_prefix in sstables/compressor.hh).
constexpr std::string_view kPackage = "org.apache.cassandra.io.compress.";

// ScyllaDB splits a dictionary into parts, and stores each part as the value of
// an option. The name of the option is this text and a number of 8 digits
// (DICTIONARY_OPTION in sstables/compressor.cc).
constexpr std::string_view kDictionaryPart = ".dictionary.";

// Cassandra's trunk marks with this option that the chunks have about the same
// size in Data.db, and not in the uncompressed data. The table of offsets is
// then another (CompressionParams.FIXED_OUTPUT_LENGTH_MARKER).
constexpr std::string_view kFixedOutput =
    "org.apache.cassandra.fixed_output_chunk_length";

constexpr char kDictionary[] = "the dictionary";

// Computes the CRC-32C, bit by bit, because a dictionary is short. To continue
// a checksum, give the checksum of the preceding bytes as `before`.
uint32_t Crc32C(std::string_view bytes, uint32_t before = 0) {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;
  uint32_t sum = ~before;
  for (const char byte : bytes) {
    sum ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1) ^ ((sum & 1) != 0 ? kReversedPolynomial : 0);
    }
  }
  return ~sum;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

void ReadOptions(ByteReader* header, CompressionInfo* info) {
  const uint64_t number_at = header->offset();
  const int64_t num_options = header->Int32("the number of options");
  if (num_options < 0) {
    header->FailAt(number_at, std::to_string(num_options) + " options");
  }
  std::map<std::string, std::string> parts;  // Sorted by their number.
  size_t size = 0;                           // Of all parts, in bytes.
  for (int64_t i = 0; i < num_options && header->good(); ++i) {
    const uint64_t option_at = header->offset();
    const std::string name(header->Text("an option's name"));
    const std::string value(header->Text("an option's value"));
    if (name == kFixedOutput) {
      throw NotSupported(
          info->file->path() + ": byte " + std::to_string(option_at) +
          ": chunks of a fixed size in Data.db (" + name + "=" + value + ")");
    } else if (StartsWith(name, kDictionaryPart)) {
      size += value.size();
      parts.emplace(name.substr(kDictionaryPart.size()), value);
    }
    if (size > kMaxDictionarySize) {
      header->FailAt(option_at, "a dictionary of more than " +
                                    std::to_string(kMaxDictionarySize) +
                                    " bytes");
    }
  }
  size_t num_parts = 0;
  for (const auto& [number, part] : parts) {
    char next[32];
    std::snprintf(next, sizeof(next), "%08zu", num_parts++);
    if (number != next) {
      header->FailFile("part " + std::string(next) +
                       " of the dictionary is missing");
    }
    info->dictionary.append(part);
  }
}

void ReadLengths(bool has_max_compressed_length, ByteReader* header,
                 CompressionInfo* info) {
  const int64_t chunk_length = header->Int32("the chunk length");
  const int64_t max_compressed_length =
      has_max_compressed_length ? header->Int32("the longest compressed length")
                                : INT32_MAX;
  const int64_t data_length = header->Int64("the data length");
  const int64_t num_chunks = header->Int32("the number of chunks");
  info->offsets_at = header->offset();
  if (!header->good()) {
    return;
  }
  if (chunk_length <= 0 || (chunk_length & (chunk_length - 1)) != 0 ||
      chunk_length > kMaxChunkLength) {
    header->FailFile("chunks of " + std::to_string(chunk_length) +
                     " bytes; expected a power of two up to " +
                     std::to_string(kMaxChunkLength));
    return;
  }
  if (max_compressed_length < 0) {
    header->FailFile("compressed chunks of up to " +
                     std::to_string(max_compressed_length) + " bytes");
  }
  const int64_t data_chunks =
      data_length / chunk_length + (data_length % chunk_length != 0 ? 1 : 0);
  if (data_length <= 0 ||
      (num_chunks != data_chunks && num_chunks != data_chunks + 1)) {
    header->FailFile(std::to_string(num_chunks) + " chunks of " +
                     std::to_string(chunk_length) + " bytes for data of " +
                     std::to_string(data_length) + " bytes");
  }
  const uint64_t expected_size =
      info->offsets_at + static_cast<uint64_t>(num_chunks) * kOffsetSize;
  if (info->file->size() < expected_size) {
    header->FailFile("has " + std::to_string(info->file->size()) +
                     " bytes, but " + std::to_string(expected_size) +
                     " with the offsets of " + std::to_string(num_chunks) +
                     " chunks");
  }
  header->GoTo(expected_size);
  info->chunk_length = static_cast<uint32_t>(chunk_length);
  info->max_compressed_length = static_cast<uint64_t>(max_compressed_length);
  info->data_length = static_cast<uint64_t>(data_length);
  info->num_chunks = static_cast<uint64_t>(data_chunks);
  info->has_empty_chunk = num_chunks > data_chunks;
}

void ReadDictionaryAtEnd(ByteReader* header, CompressionInfo* info) {
  constexpr uint8_t kZstd = 0;
  if (!header->good() || header->left() == 0) {
    return;
  }
  const uint64_t begin = header->offset();
  const std::string kind(header->Bytes(1, kDictionary));
  const int64_t number = header->Int64(kDictionary);
  const int64_t size = header->Int32(kDictionary);
  if (header->good() &&
      (size < 0 || static_cast<uint64_t>(size) > kMaxDictionarySize)) {
    header->FailAt(begin, "a dictionary of " + std::to_string(size) +
                              " bytes after the offsets of the chunks");
    return;
  }
  info->dictionary = header->Bytes(static_cast<size_t>(size), kDictionary);
  const auto stored = static_cast<uint32_t>(header->Int32(kDictionary));
  char little_endian[sizeof(number)];
  StoreLittleEndian64(static_cast<uint64_t>(number), little_endian);
  const uint32_t sum =
      Crc32C(info->dictionary,
             Crc32C({little_endian, sizeof(little_endian)}, Crc32C(kind)));
  if (header->good() && (stored != sum || header->left() > 0)) {
    header->FailAt(begin,
                   "what follows the offsets of the chunks is no dictionary "
                   "with its checksum; the file is damaged");
  } else if (header->good() && kind[0] != kZstd) {
    throw NotSupported(info->file->path() + ": byte " + std::to_string(begin) +
                       ": a dictionary of kind " +
                       std::to_string(static_cast<uint8_t>(kind[0])));
  }
  info->has_zstd_dictionary = header->good();
}

}  // namespace

std::unique_ptr<CompressionInfo> CompressionInfo::Open(
    const std::string& path, bool has_max_compressed_length,
    std::string* error) {
  auto file = RandomAccessFile::Open(path, error);
  if (file == nullptr) {
    return nullptr;
  }
  auto info = std::make_unique<CompressionInfo>();
  info->file = std::move(file);
  ByteReader header(info->file.get());
  info->compressor = header.Text("the compressor's name");
  if (StartsWith(info->compressor, kPackage)) {
    info->compressor.erase(0, kPackage.size());
  }
  ReadOptions(&header, info.get());
  ReadLengths(has_max_compressed_length, &header, info.get());
  ReadDictionaryAtEnd(&header, info.get());
  *error = header.error();
  return header.good() ? std::move(info) : nullptr;
}

size_t CompressionInfo::UncompressedSize(uint64_t number) const {
  if (number >= num_chunks) {
    return 0;
  }
  return static_cast<size_t>(
      std::min<uint64_t>(chunk_length, data_length - number * chunk_length));
}

bool CompressionInfo::Find(uint64_t number, const ByteSource& data,
                           Chunk* chunk, std::string* error) const {
  ByteReader offsets(file.get());
  offsets.GoTo(offsets_at + number * kOffsetSize);
  chunk->offset = static_cast<uint64_t>(offsets.Int64("the offsets"));
  const bool is_last = number + 1 == num_chunks + (has_empty_chunk ? 1 : 0);
  const uint64_t end =
      is_last ? data.size()
              : static_cast<uint64_t>(offsets.Int64("the offsets"));
  if (!offsets.good()) {
    *error = offsets.error();
    return false;
  }
  const uint64_t smallest = kChunkChecksumSize + (number < num_chunks ? 1 : 0);
  const bool is_cut = chunk->offset >= data.size() || end > data.size();
  if (is_cut || chunk->offset >= end || end - chunk->offset < smallest) {
    const std::string what = "chunk " + std::to_string(number) + " from " +
                             std::to_string(chunk->offset) + " to " +
                             std::to_string(end) + " of a Data.db of " +
                             std::to_string(data.size()) + " bytes";
    if (!is_cut) {
      return FailAtByte(file->path(), offsets_at + number * kOffsetSize, what,
                        error);
    }
    *error = data.path() + ": too short: " + what;
    return false;
  }
  chunk->size = end - chunk->offset - kChunkChecksumSize;
  return true;
}

}  // namespace cassandra_bloom::tools
