// SPDX-License-Identifier: Apache-2.0

// The base class of the readers of key lists and of Index.db. It has the input
// (a regular file, a pipe, a terminal or a device) and a buffer, in which a
// record is parsed without copying it.
// Tested in tests/sstable/key_list_reader_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_BUFFERED_KEY_READER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_BUFFERED_KEY_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cassandra_bloom/key_reader.h"

namespace cassandra_bloom {

// The longest partition key: Cassandra writes keys with an unsigned 16-bit
// length (ByteBufferUtil.writeWithShortLength).
constexpr size_t kMaxKeySize = 65535;

constexpr size_t kInputBufferSize = size_t{256} << 10;

// Opens a file descriptor to read from. Returns a negative number, with
// `*error`, if that fails. `path`: as for OpenKeys.
int OpenInput(const std::string& path, std::string* error);

// The name of the input in error messages.
std::string NameOfInput(const std::string& path);

class BufferedKeyReader : public KeyReader {
 public:
  // The destructor closes `fd` unless it is standard input. `name`: for error
  // messages. The buffer begins with `capacity` bytes and grows if Require
  // needs more.
  BufferedKeyReader(int fd, const std::string& name, size_t capacity);
  ~BufferedKeyReader() override;

  bool Rewind() final;
  const std::string& error() const final { return error_; }
  uint64_t bytes_read() const final { return offset(); }
  uint64_t total_bytes() const final {
    return size_ == kSizeNotKnown ? 0 : size_;
  }

 protected:
  // Rewind calls this, so that a subclass returns to its state before the first
  // key.
  virtual void Restart() {}

  // The next bytes, as far as they are buffered. They stay in place until the
  // next call of Require, Skip or Rewind.
  const char* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }

  // How many bytes have been consumed since the beginning of the input.
  uint64_t offset() const { return end_offset_ - size(); }

  // Buffers the next `size` bytes. Returns false if fewer are left, which are
  // then buffered, or if a read fails, which sets error().
  bool Require(size_t size) { return this->size() >= size || Fill(size); }

  // `size` must not be more than size().
  void Consume(size_t size) { begin_ += size; }

  // Skips `size` bytes, whether they are buffered or not. Returns false in the
  // same cases as Require.
  bool Skip(uint64_t size);

  // Fail and FailAtByte set error() and return false, so that Next can return
  // their result. They keep an earlier error: after a failed read, a record
  // looks truncated, but the failed read is the cause.
  bool Fail(const std::string& what);
  bool FailAtByte(uint64_t offset, const std::string& what) {
    return Fail("byte " + std::to_string(offset) + ": " + what);
  }

 private:
  // The value of size_ for an input that is not a regular file, and for a file
  // that has content although its size is 0, as in /proc.
  static constexpr uint64_t kSizeNotKnown = UINT64_MAX;

  bool Fill(size_t wanted);
  void MakeRoom(size_t wanted);
  bool ReadMore();

  const int fd_;
  const std::string name_;
  bool is_regular_ = false;
  // For a regular file, start_ is the descriptor's offset when this object was
  // made (standard input may have been read before), and size_ is how many
  // bytes the file had from start_ on.
  uint64_t start_ = 0;
  uint64_t size_ = kSizeNotKnown;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_;
  const char* end_;
  uint64_t end_offset_ = 0;  // The offset of end_, relative to start_.
  bool at_end_ = false;
  std::string error_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_BUFFERED_KEY_READER_H_
