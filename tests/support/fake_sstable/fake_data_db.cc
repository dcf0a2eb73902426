// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_data_db.h"

#include <lz4.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/checksums.h"

namespace cassandra_bloom::testing {
namespace {

// Bytes that are collected before a write without compression.
constexpr size_t kBufferBytes = 65536;

// Cassandra's LZ4Compressor puts the length before the block, and, unlike
// everything else, in little-endian order.
std::string CompressLz4(std::string_view bytes) {
  constexpr size_t kLengthBytes = 4;
  const auto size = static_cast<int>(bytes.size());
  const int bound = LZ4_compressBound(size);
  std::string out(kLengthBytes + static_cast<size_t>(bound), '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) {
    out[i] = static_cast<char>(bytes.size() >> (8 * i));
  }
  const int written = LZ4_compress_default(
      bytes.data(), out.data() + kLengthBytes, size, bound);
  out.resize(kLengthBytes + static_cast<size_t>(written));
  return out;
}

uint32_t ChecksumOf(ChunkChecksum kind, std::string_view stored,
                    std::string_view uncompressed) {
  switch (kind) {
    case ChunkChecksum::kAdlerOfStored:
      return Adler32(stored);
    case ChunkChecksum::kCrcOfUncompressed:
      return Crc32(uncompressed);
    case ChunkChecksum::kCrcOfStored:
      break;
  }
  return Crc32(stored);
}

}  // namespace

DataDb::DataDb(const std::string& path, const VersionFacts& facts,
               const Lz4Chunks* lz4)
    : path_(path),
      facts_(facts),
      is_compressed_(lz4 != nullptr),
      lz4_(is_compressed_ ? *lz4 : Lz4Chunks{kBufferBytes}),
      file_(std::fopen(path.c_str(), "wb")),
      digest_(facts.digest == DigestKind::kAdler32 ? 1 : 0) {
  if (file_ == nullptr) {
    Fail("cannot create ");
  }
}

void DataDb::Append(std::string_view bytes) {
  position_ += bytes.size();
  while (!bytes.empty()) {
    const size_t part = std::min(bytes.size(), lz4_.bytes - chunk_.size());
    chunk_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (chunk_.size() == lz4_.bytes) {
      WriteChunk();
    }
  }
}

void DataDb::Close() {
  if (!chunk_.empty()) {
    WriteChunk();
  }
  if (std::fclose(file_.release()) != 0) {
    Fail("cannot write ");
  }
}

std::string DataDb::CompressionInfo() const {
  std::string info;
  AppendWithLength("LZ4Compressor", &info);
  AppendInt32(0, &info);  // No options.
  AppendInt32(static_cast<int32_t>(lz4_.bytes), &info);
  if (facts_.has_max_chunk_bytes) {
    AppendInt32(static_cast<int32_t>(lz4_.max_compressed_bytes), &info);
  }
  AppendBigEndian(position_, 8, &info);
  AppendInt32(static_cast<int32_t>(chunk_offsets_.size()), &info);
  for (const uint64_t offset : chunk_offsets_) {
    AppendBigEndian(offset, 8, &info);
  }
  return info;
}

void DataDb::WriteChunk() {
  if (!is_compressed_) {
    Write(chunk_);
  } else {
    chunk_offsets_.push_back(file_size_);
    const std::string stored = StoredChunk();
    Write(stored);
    std::string checksum;
    AppendBigEndian(ChecksumOf(facts_.chunk_checksum, stored, chunk_), 4,
                    &checksum);
    Write(checksum);
  }
  chunk_.clear();
}

// A reader knows from the length alone that a chunk is not compressed, so a
// short last chunk is filled with zeros (CompressedSequentialWriter).
std::string DataDb::StoredChunk() const {
  std::string stored = CompressLz4(chunk_);
  if (facts_.has_max_chunk_bytes &&
      stored.size() >= lz4_.max_compressed_bytes) {
    stored = chunk_;
    stored.resize(std::max(stored.size(), lz4_.max_compressed_bytes));
  }
  return stored;
}

void DataDb::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    Fail("cannot write ");
  }
  file_size_ += bytes.size();
  if (facts_.digest != DigestKind::kNone) {
    digest_ = facts_.digest == DigestKind::kCrc32 ? Crc32(bytes, digest_)
                                                  : Adler32(bytes, digest_);
  }
}

void DataDb::Fail(const std::string& what) const {
  throw std::system_error(errno, std::generic_category(), what + path_);
}

}  // namespace cassandra_bloom::testing
