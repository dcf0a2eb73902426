// SPDX-License-Identifier: Apache-2.0

// A file that can be read at any offset.
// Tested in filterdb/tests/sstable/bytes/byte_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

// Reads files with pread, and not with mmap. With mmap, a file that is
// truncated or a disk that fails would end the process.
class RandomAccessFile {
 public:
  // Returns nullptr unless `path` is a regular file that can be opened.
  static std::unique_ptr<RandomAccessFile> Open(const std::string& path,
                                                std::string* error);

  const std::string& path() const { return path_; }

  // The size in bytes when the file was opened.
  uint64_t size() const { return size_; }

  // Reads `size` bytes at `offset`, all within size().
  bool Read(uint64_t offset, size_t size, char* to, std::string* error) const;

 private:
  explicit RandomAccessFile(const std::string& path)
      : path_(path), fd_(OpenForReading(path)) {}

  const std::string path_;
  const FileDescriptor fd_;
  uint64_t size_ = 0;
};

// The end of an error about a file that is not damaged, but that this program
// cannot read.
inline constexpr char kIsNotSupported[] = "not supported";

inline bool IsNotSupported(std::string_view error) {
  return EndsWith(error, kIsNotSupported);
}

// Sets `*error` to "PATH: byte OFFSET: WHAT". Returns false.
bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_
