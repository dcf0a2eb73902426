// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/file_sum.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <vector>

namespace cassandra_bloom::tools {
namespace {

void Add(const char* data, size_t size, FileSum* sum) {
  sum->crc = Crc32({data, size}, sum->crc);
  sum->size += size;
}

}  // namespace

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

FileSum SumOf(const WriteContent& content) {
  FileSum sum;
  content([&](const char* data, size_t size) {
    Add(data, size, &sum);
    return true;
  });
  return sum;
}

bool CopyInPieces(int fd, const Append& append, FileSum* sum) {
  *sum = {};
  std::vector<char> piece(size_t{1} << 20);
  for (;;) {
    const ssize_t got =
        pread(fd, piece.data(), piece.size(), static_cast<off_t>(sum->size));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got == 0;
    }
    Add(piece.data(), static_cast<size_t>(got), sum);
    if (!append(piece.data(), static_cast<size_t>(got))) {
      return false;
    }
  }
}

}  // namespace cassandra_bloom::tools
