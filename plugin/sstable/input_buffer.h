// SPDX-License-Identifier: Apache-2.0

// A buffer before a ByteSource: records are looked at in place, whole.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_INPUT_BUFFER_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_INPUT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/sstable/byte_source.h"

namespace cassandra_bloom {

constexpr size_t kInputBufferSize = size_t{256} << 10;

class InputBuffer {
 public:
  // `capacity` is for a start: it grows with what Require asks for.
  InputBuffer(std::unique_ptr<ByteSource> source, size_t capacity);

  // The bytes that are next, as far as they are buffered. They stay in place
  // until the next call of Require, Skip or Rewind.
  const char* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }

  // Bytes consumed since the beginning.
  uint64_t offset() const { return end_offset_ - size(); }

  // Sees to it that the next `size` bytes, or all that there are, are buffered.
  // False if there are fewer.
  bool Require(size_t size) { return this->size() >= size || Fill(size); }

  // `size` is at most size().
  void Consume(size_t size) { begin_ += size; }

  // Passes over `size` bytes, buffered or not. False if there are fewer.
  bool Skip(uint64_t size);

  bool Rewind();

  uint64_t total_bytes() const { return source_->total_bytes(); }

  // Of the source; empty if its end is really its end.
  const std::string& error() const { return error_; }

 private:
  bool Fill(size_t wanted);
  void MakeRoom(size_t wanted);
  bool ReadMore();

  const std::unique_ptr<ByteSource> source_;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_;
  const char* end_;
  uint64_t end_offset_ = 0;  // of end_ in the source
  bool at_end_ = false;
  std::string error_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_INPUT_BUFFER_H_
