// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/file_sum.h"

#include <zlib.h>

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "filterdb/sstable/bytes/random_access_file.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::optional<uint32_t> CrcOf(const WriteContent& content) {
  uint32_t crc = 0;
  const bool is_whole = content([&crc](const char* data, size_t size) {
    crc = Crc32({data, size}, crc);
    return true;
  });
  return is_whole ? std::optional(crc) : std::nullopt;
}

std::optional<uint32_t> CrcOfFile(const std::string& path, std::string* error) {
  return CrcOf(
      [&](const Append& append) { return ReadPieces(path, append, error); });
}

bool ReadPieces(const std::string& path, const Append& append,
                std::string* error) {
  const auto file = RandomAccessFile::Open(path, error);
  if (file == nullptr) {
    return false;
  }
  std::string_view piece;
  for (uint64_t at = 0; at < file->size(); at += piece.size()) {
    if (!file->ReadSome(at, &piece, error) ||
        !append(piece.data(), piece.size())) {
      return false;
    }
  }
  return true;
}

bool ReadInPieces(int fd, const Append& append, uint32_t* crc) {
  // A larger block would be got from the kernel and cleared for each file,
  // which takes longer than to read a small one.
  constexpr size_t kPiece = size_t{64} << 10;
  const std::unique_ptr<char[]> piece(new char[kPiece]);
  *crc = 0;
  size_t size = kPiece;
  for (uint64_t at = 0; size == kPiece; at += size) {
    const ssize_t got = ReadAt(fd, at, kPiece, piece.get());
    if (got < 0) {
      return false;
    }
    size = static_cast<size_t>(got);
    *crc = Crc32({piece.get(), size}, *crc);
    if (size > 0 && !append(piece.get(), size)) {
      return false;
    }
  }
  return true;
}

std::string HexOfCrc(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08" PRIx32, crc);
  return text;
}

}  // namespace cassandra_bloom::tools
