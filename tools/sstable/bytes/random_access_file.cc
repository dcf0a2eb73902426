// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/bytes/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace cassandra_bloom::tools {

// O_NONBLOCK: to open a FIFO must not wait for its writer.
std::unique_ptr<RandomAccessFile> RandomAccessFile::Open(
    const std::string& path, std::string* error) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    FailWithErrno(path, "cannot open", error);
    if (fd >= 0) {
      close(fd);
    }
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    *error = path + ": not a regular file";
    return nullptr;
  }
  return std::unique_ptr<RandomAccessFile>(
      new RandomAccessFile(path, fd, static_cast<uint64_t>(status.st_size)));
}

bool RandomAccessFile::Read(uint64_t offset, size_t size, char* to,
                            std::string* error) const {
  while (size > 0) {
    const ssize_t got = pread(fd_.get(), to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return FailWithErrno(path_, "cannot read", error);
    }
    if (got == 0) {
      *error = path_ + ": was truncated while it was read: byte " +
               std::to_string(offset) + " of " + std::to_string(size_) +
               " is missing";
      return false;
    }
    to += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error) {
  *error = path + ": byte " + std::to_string(offset) + ": " + what;
  return false;
}

}  // namespace cassandra_bloom::tools
