// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

std::unique_ptr<RandomAccessFile> RandomAccessFile::Open(
    const std::string& path, std::string* error) {
  std::unique_ptr<RandomAccessFile> file(new RandomAccessFile(path));
  return SizeOfRegularFile(file->fd_.get(), path, &file->size_, error)
             ? std::move(file)
             : nullptr;
}

bool RandomAccessFile::Read(uint64_t offset, size_t size, char* to,
                            std::string* error) const {
  const ssize_t got = ReadAt(fd_.get(), offset, size, to);
  if (got < 0) {
    return FailWithErrno(path_, "cannot read", error);
  }
  if (static_cast<size_t>(got) < size) {
    *error = path_ + ": was truncated while it was read: byte " +
             std::to_string(offset + static_cast<size_t>(got)) + " of " +
             std::to_string(size_) + " is missing";
    return false;
  }
  return true;
}

bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error) {
  *error = path + ": byte " + std::to_string(offset) + ": " + what;
  return false;
}

}  // namespace cassandra_bloom::tools
