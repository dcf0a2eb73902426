// SPDX-License-Identifier: Apache-2.0

// Reads a file, a pipe or a terminal from its beginning to its end. The base
// class of the readers of key lists and of Index.db.
// Tested in filterdb/tests/sstable/key_list_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BUFFERED_INPUT_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BUFFERED_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cassandra_bloom {

// The longest partition key in bytes. Cassandra writes the length of a key as
// an unsigned 16-bit number (ByteBufferUtil.writeWithShortLength).
constexpr size_t kMaxKeySize = 65535;

constexpr size_t kInputBufferSize = size_t{256} << 10;

// Opens a file for reading. `path` may be "-" for standard input. On failure,
// returns -1 and sets `*error`.
int OpenInput(const std::string& path, std::string* error);

std::string NameOfInput(const std::string& path);

class BufferedInput {
 public:
  // The destructor closes `fd` unless it is standard input. The buffer starts
  // with `capacity` bytes, and grows if Require needs more.
  BufferedInput(int fd, const std::string& name, size_t capacity);
  ~BufferedInput();
  BufferedInput(const BufferedInput&) = delete;
  BufferedInput& operator=(const BufferedInput&) = delete;

  // Like those of KeyReader.
  bool Rewind();
  const std::string& error() const { return error_; }
  uint64_t bytes_read() const { return offset(); }
  uint64_t total_bytes() const { return size_ == kSizeNotKnown ? 0 : size_; }

  const std::string& name() const { return name_; }

  // The next bytes in the buffer, valid until Require, Skip or Rewind is
  // called.
  const char* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }

  // How many bytes have been consumed since the beginning of the input.
  uint64_t offset() const { return end_offset_ - size(); }

  // Reads until the buffer has the next `size` bytes. Returns false if the
  // input ends earlier, or after an error.
  bool Require(size_t size) { return this->size() >= size || Fill(size); }

  // Consumes `size` bytes, at most size().
  void Consume(size_t size) { begin_ += size; }

  // Skips the next `size` bytes of the input. Returns false if the input ends
  // earlier, or after an error.
  bool Skip(uint64_t size);

  // Fail and FailAtByte set error(), unless it is already set, and return
  // false. The first error stays because it is the cause. For example, after a
  // failed read, a record only seems to be truncated.
  bool Fail(const std::string& what);
  bool FailAtByte(uint64_t offset, const std::string& what) {
    return Fail("byte " + std::to_string(offset) + ": " + what);
  }

 private:
  // The value of size_ if the size is unknown. Pipes have no size, and files in
  // /proc have the size 0 although they have content.
  static constexpr uint64_t kSizeNotKnown = UINT64_MAX;

  bool Fill(size_t wanted);
  void MakeRoom(size_t wanted);
  bool ReadMore();

  const int fd_;
  const std::string name_;
  bool is_regular_ = false;
  // If the input is a regular file, start_ is the offset of fd_ at
  // construction. size_ is the number of bytes from start_ to the end of the
  // file.
  uint64_t start_ = 0;
  uint64_t size_ = kSizeNotKnown;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_;
  const char* end_;
  uint64_t end_offset_ = 0;  // In bytes from start_ to end_.
  bool at_end_ = false;
  std::string error_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BUFFERED_INPUT_H_
