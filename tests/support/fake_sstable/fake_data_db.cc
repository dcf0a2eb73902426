// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_data_db.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/fake_sstable/compressed_data.h"

namespace cassandra_bloom::testing {
namespace {

// If Data.db is not compressed, DataDb writes the file in pieces of this size.
constexpr size_t kBufferBytes = 65536;

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
  return CompressionInfoOf(
      "LZ4Compressor", {}, static_cast<int64_t>(lz4_.bytes),
      facts_.has_max_chunk_bytes
          ? std::make_optional(static_cast<int64_t>(lz4_.max_compressed_bytes))
          : std::nullopt,
      static_cast<int64_t>(position_), chunk_offsets_);
}

void DataDb::WriteChunk() {
  if (!is_compressed_) {
    Write(chunk_);
  } else {
    chunk_offsets_.push_back(file_size_);
    const std::string stored = StoredChunk(
        CompressLz4(chunk_), chunk_,
        facts_.has_max_chunk_bytes ? lz4_.max_compressed_bytes : SIZE_MAX);
    Write(stored);
    std::string checksum;
    AppendBigEndian(ChecksumOf(facts_.chunk_checksum, stored, chunk_), 4,
                    &checksum);
    Write(checksum);
  }
  chunk_.clear();
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
