// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/file_sum.h"

#include <zlib.h>

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "filterdb/sstable/bytes/byte_source.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t CrcOf(const WriteContent& content) {
  uint32_t crc = 0;
  content([&](const char* data, size_t size) {
    crc = Crc32({data, size}, crc);
    return true;
  });
  return crc;
}

std::optional<uint32_t> CrcOfFile(const std::string& path, std::string* error) {
  const FileDescriptor fd(OpenForReading(path));
  uint32_t crc = 0;
  const auto ignore = [](const char*, size_t) { return true; };
  if (fd.get() >= 0 && ReadInPieces(fd.get(), ignore, &crc)) {
    return crc;
  }
  FailWithErrno(path, "cannot read", error);
  return std::nullopt;
}

bool ReadInPieces(int fd, const Append& append, uint32_t* crc) {
  // A larger block would be got from the kernel and cleared for each file,
  // which takes longer than to read a small one.
  constexpr size_t kPiece = size_t{64} << 10;
  const std::unique_ptr<char[]> piece(new char[kPiece]);
  *crc = 0;
  ReadNothingAhead(fd);
  CachedPages pages(fd);
  size_t size = kPiece;
  for (uint64_t at = 0; size == kPiece; at += size) {
    pages.Ask(at, kPiece);
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
