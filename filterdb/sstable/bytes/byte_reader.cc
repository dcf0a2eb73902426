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
  if (ahead_.empty() && !ReadAhead(1, what)) {
    return 0;
  }
  const unsigned first = static_cast<uint8_t>(ahead_[0]);
  const int more = first == 0xff ? 8 : __builtin_clz(~(first << 24));
  const std::string_view vint = Bytes(1 + static_cast<size_t>(more), what);
  uint64_t number = first & (0xffU >> more);
  for (size_t i = 1; i < vint.size(); ++i) {
    number = number << 8 | static_cast<uint8_t>(vint[i]);
  }
  return good() ? number : 0;
}

std::string_view ByteReader::Text(const char* what) {
  const std::string_view size = Bytes(2, what);
  return good() ? Bytes(LoadBigEndian16(size.data()), what) : size;
}

bool ByteReader::ReadAhead(size_t size, const char* what) {
  if (good() && left() < size) {
    Fail(std::string("ends inside ") + what);
  }
  if (good() && source_->ReadSome(offset_, &ahead_, &error_) &&
      (ahead_.size() >= size ||
       source_->Read(offset_, size, &ahead_, &error_))) {
    return true;
  }
  ahead_ = {};
  return false;
}

bool ByteReader::FailAt(uint64_t offset, const std::string& what) {
  return FailFile("byte " + std::to_string(offset) + ": " + what);
}

bool ByteReader::FailFile(const std::string& what) {
  ahead_ = {};
  error_ = good() ? source_->path() + ": " + what : error_;
  return false;
}

}  // namespace cassandra_bloom::tools
