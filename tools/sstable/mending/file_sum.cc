// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/file_sum.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "plugin/io/file_io.h"

namespace cassandra_bloom::tools {
namespace {

void Add(const char* data, size_t size, FileSum* sum) {
  sum->crc = static_cast<uint32_t>(
      crc32_z(sum->crc, reinterpret_cast<const Bytef*>(data), size));
  sum->size += size;
}

}  // namespace

FileSum SumOf(const WriteContent& content) {
  FileSum sum;
  content([&](const char* data, size_t size) {
    Add(data, size, &sum);
    return true;
  });
  return sum;
}

bool CopyInPieces(int fd, const Append& append,
                  const BetweenPieces& between_pieces, FileSum* sum) {
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
    if (static_cast<size_t>(got) == piece.size()) {
      between_pieces();
    }
  }
}

bool SumOfFile(int fd, const std::string& path,
               const std::vector<FileSum>& wanted,
               const BetweenPieces& between_pieces, FileSum* sum,
               std::string* error) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": not a regular file";
    return false;
  }
  *sum = {static_cast<uint64_t>(status.st_size), 0};
  const bool may_be_wanted =
      wanted.empty() ||
      std::any_of(wanted.begin(), wanted.end(),
                  [&](const FileSum& one) { return one.size == sum->size; });
  return !may_be_wanted ||
         CopyInPieces(
             fd, [](const char*, size_t) { return true; }, between_pieces,
             sum) ||
         FailWithErrno(path, "cannot read", error);
}

}  // namespace cassandra_bloom::tools
