// SPDX-License-Identifier: Apache-2.0

// Bytes that can be read at any position: those of a file
// (random_access_file.h), or the uncompressed bytes of a compressed Data.db.
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.
// Tested in filterdb/tests/sstable/partitions_db_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The path of the file that the bytes come from.
  const std::string& path() const { return path_; }

  // The number of bytes.
  uint64_t size() const { return size_; }

  // Gets one or more bytes at `position`, which must be below size(). The bytes
  // are valid until the next call. Increasing positions are fastest.
  virtual bool ReadSome(uint64_t position, std::string_view* bytes,
                        std::string* error) = 0;

  // Gets `size` bytes, which must lie within size(). The bytes are valid until
  // the next call.
  virtual bool Read(uint64_t position, size_t size, std::string_view* bytes,
                    std::string* error);

 protected:
  ByteSource(const std::string& path, uint64_t size)
      : path_(path), size_(size) {}

 private:
  const std::string path_;
  const uint64_t size_;
  std::string joined_;  // Bytes that ReadSome gave in pieces.
};

// Sets `*error` to "PATH: byte OFFSET: WHAT". Returns false.
bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error);

// Thrown for a file that is not damaged, but that this program cannot read.
struct NotSupported : std::runtime_error {
  explicit NotSupported(const std::string& what)
      : std::runtime_error(what + ": not supported") {}
};

// Call this when the file `path` could not be read. Throws a std::system_error
// if errno says that there are too many open files or too little memory: then
// nothing is known about the file.
void ThrowIfShort(const std::string& path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_
