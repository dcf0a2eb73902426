// SPDX-License-Identifier: Apache-2.0

// What all key readers have in common: the input, which is a regular file, a
// pipe, a terminal or a device, and a buffer in which records are looked at in
// place, whole.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_

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

// A file descriptor to read from; negative, and an error, if there is none.
// `path`: as for OpenKeys.
int OpenInput(const std::string& path, std::string* error);

// What errors call it.
std::string NameOfInput(const std::string& path);

class BufferedKeyReader : public KeyReader {
 public:
  // Closes `fd` at the end unless it is standard input. `name` is what errors
  // call it. The buffer begins with `capacity` bytes, and grows with what
  // Require asks for.
  BufferedKeyReader(int fd, const std::string& name, size_t capacity);
  ~BufferedKeyReader() override;

  bool Rewind() final;
  const std::string& error() const final { return error_; }
  uint64_t bytes_read() const final { return offset(); }
  uint64_t total_bytes() const final {
    return size_ == kSizeNotKnown ? 0 : size_;
  }

 protected:
  // Back to the state before the first key.
  virtual void Restart() {}

  // The bytes that are next, as far as they are buffered. They stay in place
  // until the next call of Require, Skip or Rewind.
  const char* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }

  // Bytes consumed since the beginning.
  uint64_t offset() const { return end_offset_ - size(); }

  // Sees to it that the next `size` bytes, or all that there are, are buffered.
  // False if there are fewer, which is an error() if they cannot be read.
  bool Require(size_t size) { return this->size() >= size || Fill(size); }

  // `size` is at most size().
  void Consume(size_t size) { begin_ += size; }

  // Passes over `size` bytes, buffered or not. False as for Require.
  bool Skip(uint64_t size);

  // Both return false, for Next to return. The first error is the one that is
  // told: that a record is cut may come of a failed read.
  bool Fail(const std::string& what);
  bool FailAtByte(uint64_t offset, const std::string& what) {
    return Fail("byte " + std::to_string(offset) + ": " + what);
  }

 private:
  // For a pipe and the like, and for files that have bytes and no size, as in
  // /proc.
  static constexpr uint64_t kSizeNotKnown = UINT64_MAX;

  bool Fill(size_t wanted);
  void MakeRoom(size_t wanted);
  bool ReadMore();

  const int fd_;
  const std::string name_;
  bool is_regular_ = false;
  // Of a regular file: where the descriptor stood (standard input may have been
  // read from), and the size from there on, as it was then.
  uint64_t start_ = 0;
  uint64_t size_ = kSizeNotKnown;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_;
  const char* end_;
  uint64_t end_offset_ = 0;  // Of end_, from start_ on.
  bool at_end_ = false;
  std::string error_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_
