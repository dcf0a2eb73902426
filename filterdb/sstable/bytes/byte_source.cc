// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/byte_source.h"

#include <cerrno>
#include <system_error>

namespace cassandra_bloom::tools {

bool ByteSource::Read(uint64_t position, size_t size, std::string_view* bytes,
                      std::string* error) {
  joined_.clear();
  *bytes = {};
  while (joined_.size() < size) {
    if (!ReadSome(position + joined_.size(), bytes, error)) {
      return false;
    }
    *bytes = bytes->substr(0, size - joined_.size());
    if (bytes->size() == size) {
      return true;
    }
    joined_.append(*bytes);
  }
  *bytes = joined_;
  return true;
}

bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error) {
  *error = path + ": byte " + std::to_string(offset) + ": " + what;
  return false;
}

void ThrowIfShort(const std::string& path) {
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    throw std::system_error(errno, std::generic_category(), path);
  }
}

}  // namespace cassandra_bloom::tools
