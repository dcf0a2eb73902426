// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/byte_reader.h"

#include <cstring>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {

int32_t ByteReader::Int32(const char* what) {
  const std::string_view bytes = Bytes(4, what);
  return good() ? LoadBigEndian32(bytes.data()) : 0;
}

int64_t ByteReader::Int64(const char* what) {
  const std::string_view bytes = Bytes(8, what);
  return good() ? LoadBigEndian64(bytes.data()) : 0;
}

double ByteReader::Double(const char* what) {
  const int64_t bits = Int64(what);
  double number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

uint64_t ByteReader::VInt(const char* what) {
  const uint64_t begin = offset_;
  const std::string_view first = Bytes(1, what);
  if (!good()) {
    return 0;
  }
  const unsigned byte = static_cast<uint8_t>(first[0]);
  size_t more = 0;
  while (more < 8 && (byte & (0x80U >> more)) != 0) {
    ++more;
  }
  if (left() < more) {
    FailAt(begin, std::string("ends inside ") + what);
  }
  uint64_t number = byte & (0xffU >> more);
  for (const char next : Bytes(more, what)) {
    number = number << 8 | static_cast<uint8_t>(next);
  }
  return good() ? number : 0;
}

std::string_view ByteReader::Text(const char* what) {
  const std::string_view size = Bytes(2, what);
  return good() ? Bytes(LoadBigEndian16(size.data()), what) : size;
}

std::string_view ByteReader::Bytes(size_t size, const char* what) {
  if (!good() || (left() < size && !Fail(std::string("ends inside ") + what))) {
    return {};
  }
  if (ahead_.size() < size && !source_->ReadSome(offset_, &ahead_, &error_)) {
    return {};
  }
  std::string_view bytes = ahead_.substr(0, size);
  ahead_.remove_prefix(bytes.size());
  if (bytes.size() < size && !source_->Read(offset_, size, &bytes, &error_)) {
    return {};
  }
  offset_ += size;
  return bytes;
}

bool ByteReader::FailAt(uint64_t offset, const std::string& what) {
  return FailFile("byte " + std::to_string(offset) + ": " + what);
}

bool ByteReader::FailFile(const std::string& what) {
  error_ = good() ? source_->path() + ": " + what : error_;
  return false;
}

}  // namespace cassandra_bloom::tools
