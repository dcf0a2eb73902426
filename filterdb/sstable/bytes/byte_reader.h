// SPDX-License-Identifier: Apache-2.0

// Reads numbers and texts from a file of an SSTable, one after another. Numbers
// are big-endian, as Java's DataOutput writes them.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"

namespace cassandra_bloom::tools {

// After the first failure, every function returns 0 or an empty text. So a
// caller may call several functions before it checks good(). `what` names a
// field in error messages.
class ByteReader {
 public:
  // `source` must outlive this object, which alone reads from it meanwhile.
  explicit ByteReader(ByteSource* source) : source_(source) {}

  int32_t Int32(const char* what);
  int64_t Int64(const char* what);
  double Double(const char* what);
  // Reads an unsigned integer of 1 to 9 bytes (Cassandra's
  // utils.vint.VIntCoding). The number of leading 1 bits in the first byte is
  // the number of bytes that follow. If fewer than 8 bytes follow, a 0 bit
  // comes after the leading 1 bits. All other bits are the number.
  uint64_t VInt(const char* what);
  // Reads a text of Java's DataOutput.writeUTF, or a key of Cassandra's
  // ByteBufferUtil.writeWithShortLength, with its size in two bytes. Valid
  // until the next call.
  std::string_view Text(const char* what);
  // Reads `size` bytes, valid until the next call. May allocate `size` bytes.
  // So the caller must limit a size that comes from a file.
  std::string_view Bytes(size_t size, const char* what) {
    if (ahead_.size() < size && !ReadAhead(size, what)) {
      return {};
    }
    const std::string_view bytes = ahead_.substr(0, size);
    ahead_.remove_prefix(size);
    offset_ += size;
    return bytes;
  }

  // What was returned stays valid until a call that takes more than these
  // bytes.
  size_t num_ahead() const { return ahead_.size(); }

  uint64_t offset() const { return offset_; }
  void GoTo(uint64_t offset) {
    offset_ = offset;
    ahead_ = {};
  }
  uint64_t left() const {
    return offset_ < source_->size() ? source_->size() - offset_ : 0;
  }

  bool good() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  // Sets the error "PATH: byte N: what", unless an error is set. Returns false.
  bool Fail(const std::string& what) { return FailAt(offset_, what); }
  bool FailAt(uint64_t offset, const std::string& what);
  // Sets the error "PATH: what", unless an error is set. Returns false.
  bool FailFile(const std::string& what);

 private:
  // Reads until ahead_ has `size` bytes.
  bool ReadAhead(size_t size, const char* what);

  ByteSource* const source_;
  uint64_t offset_ = 0;
  std::string_view ahead_;  // From offset_ on. Empty after an error.
  std::string error_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_READER_H_
