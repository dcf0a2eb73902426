// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/file_sum.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "plugin/io/file_io.h"

namespace cassandra_bloom::tools {
namespace {

void Add(const char* data, size_t size, uint32_t* crc) {
  *crc = static_cast<uint32_t>(
      crc32_z(*crc, reinterpret_cast<const Bytef*>(data), size));
}

// Adds the bytes from `begin` to `end`. Sets errno if it fails.
bool AddRange(int fd, uint64_t begin, uint64_t end, uint32_t* crc) {
  std::vector<char> part(size_t{64} << 10);
  while (begin < end) {
    const ssize_t got =
        pread(fd, part.data(),
              static_cast<size_t>(std::min<uint64_t>(part.size(), end - begin)),
              static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      return false;
    }
    Add(part.data(), static_cast<size_t>(got), crc);
    begin += static_cast<uint64_t>(got);
  }
  return true;
}

}  // namespace

FileSum SumOf(const WriteContent& content) {
  FileSum sum;
  content([&](const char* data, size_t size) {
    Add(data, size, &sum.crc);
    sum.size += size;
    return true;
  });
  return sum;
}

bool SumOfFile(int fd, const std::string& path, SumOver over, FileSum* sum,
               std::string* error) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": not a regular file";
    return false;
  }
  constexpr uint64_t kEnd = uint64_t{64} << 10;
  const auto size = static_cast<uint64_t>(status.st_size);
  *sum = {size, 0};
  const bool is_read = over == SumOver::kEnds && size > 2 * kEnd
                           ? AddRange(fd, 0, kEnd, &sum->crc) &&
                                 AddRange(fd, size - kEnd, size, &sum->crc)
                           : AddRange(fd, 0, size, &sum->crc);
  return is_read || FailWithErrno(path, "cannot read", error);
}

}  // namespace cassandra_bloom::tools
