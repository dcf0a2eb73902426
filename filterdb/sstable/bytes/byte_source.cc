// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "plugin/filter/endian.h"

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

bool ReadWithShortLength(ByteSource* source, uint64_t position,
                         std::string_view* bytes, std::string* error) {
  constexpr size_t kLengthSize = 2;
  const auto fail = [&](const std::string& what) {
    return FailAtByte(source->path(), position,
                      what + " beyond the end of the file, which has " +
                          std::to_string(source->size()) + " bytes",
                      error);
  };
  const uint64_t left =
      source->size() - std::min<uint64_t>(position, source->size());
  if (left < kLengthSize) {
    return fail("a key's length lies");
  }
  if (!source->ReadSome(position, bytes, error) ||
      (bytes->size() < kLengthSize &&
       !source->Read(position, kLengthSize, bytes, error))) {
    return false;
  }
  const size_t size = LoadBigEndian16(bytes->data());
  if (left - kLengthSize < size) {
    return fail("a key of " + std::to_string(size) + " bytes reaches");
  }
  if (bytes->size() - kLengthSize >= size) {
    *bytes = bytes->substr(kLengthSize, size);
    return true;
  }
  return source->Read(position + kLengthSize, size, bytes, error);
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
