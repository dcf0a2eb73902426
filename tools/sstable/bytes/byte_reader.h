// SPDX-License-Identifier: Apache-2.0

// Reads the numbers and texts of an SSTable's components one after another.
// Numbers are big-endian, as Java's DataOutput writes them.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_BYTE_READER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/sstable/bytes/page_cache.h"
#include "tools/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

// After the first failure every number is 0 and every text is empty, so a
// caller may read on and look at good() once. `what` names what is read, for
// the error: "byte 7: ends inside the chunk length".
class ByteReader {
 public:
  // `file` must outlive this object.
  explicit ByteReader(const RandomAccessFile& file);

  int32_t Int32(const char* what);
  int64_t Int64(const char* what);
  double Double(const char* what);
  // A text of DataOutput.writeUTF: its size in two bytes, then its bytes.
  std::string Text(const char* what);
  // Valid until the next call. Check `size` before: if the file is long enough,
  // this much memory is used.
  std::string_view Bytes(size_t size, const char* what);

  uint64_t offset() const { return offset_; }
  void GoTo(uint64_t offset) { offset_ = offset; }
  // From offset() to the end of the file.
  uint64_t left() const {
    return offset_ < file_.size() ? file_.size() - offset_ : 0;
  }

  bool good() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  // Sets the error "PATH: byte N: what", unless there is one. Returns false.
  bool Fail(const std::string& what) { return FailAt(offset_, what); }
  bool FailAt(uint64_t offset, const std::string& what);
  // Sets an error of the whole file in the same way: "PATH: what".
  bool FailFile(const std::string& what);

 private:
  const RandomAccessFile& file_;
  PageCache pages_;
  uint64_t offset_ = 0;
  std::string error_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_BYTE_READER_H_
