// SPDX-License-Identifier: Apache-2.0

// The bytes of a file.
// Tested in filterdb/tests/sstable/bytes/byte_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filterdb/sstable/bytes/byte_source.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

// Reads files with pread, and not with mmap. With mmap, a file that is
// truncated or a disk that fails would end the process.
class RandomAccessFile final : public ByteSource {
 public:
  static constexpr size_t kBufferSize = 65536;
  static constexpr size_t kPageSize = 4096;

  // Returns nullptr unless `path` is a regular file that can be opened. The
  // size is that of the file when it was opened.
  //
  // `max_gap` is for ReadSome, which reads kBufferSize bytes at once if the
  // position is at most `max_gap` bytes behind the last ones. Otherwise, it
  // reads kPageSize bytes.
  static std::unique_ptr<RandomAccessFile> Open(const std::string& path,
                                                std::string* error,
                                                size_t max_gap = kPageSize);

  // The first call takes the memory for a buffer.
  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    const bool is_buffered =
        position >= begin_ && position - begin_ < buffered_;
    if (!is_buffered && !Fill(position, error)) {
      return false;
    }
    const auto from = static_cast<size_t>(position - begin_);
    *bytes = std::string_view(buffer_.get() + from, buffered_ - from);
    return true;
  }

  // Reads `size` bytes at `position`, all within size(), without the buffer.
  bool ReadTo(uint64_t position, size_t size, char* to,
              std::string* error) const;

 private:
  RandomAccessFile(const std::string& path, std::unique_ptr<FileDescriptor> fd,
                   uint64_t size, size_t max_gap)
      : ByteSource(path, size), fd_(std::move(fd)), max_gap_(max_gap) {}

  bool Fill(uint64_t position, std::string* error);

  const std::unique_ptr<FileDescriptor> fd_;
  const size_t max_gap_;
  std::unique_ptr<char[]> buffer_;
  uint64_t begin_ = 0;  // The position of the first buffered byte.
  size_t buffered_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_RANDOM_ACCESS_FILE_H_
