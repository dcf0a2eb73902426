// SPDX-License-Identifier: Apache-2.0

// What all key readers have in common.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "cassandra_bloom/key_reader.h"
#include "plugin/sstable/byte_source.h"
#include "plugin/sstable/input_buffer.h"

namespace cassandra_bloom {

// The longest partition key: Cassandra writes keys with an unsigned 16-bit
// length (ByteBufferUtil.writeWithShortLength).
constexpr size_t kMaxKeySize = 65535;

class BufferedKeyReader : public KeyReader {
 public:
  bool Rewind() final {
    error_.clear();
    Restart();
    return input_.Rewind() || Fail("");
  }

  const std::string& error() const final { return error_; }
  uint64_t bytes_read() const final { return input_.offset(); }
  uint64_t total_bytes() const final { return input_.total_bytes(); }

 protected:
  BufferedKeyReader(std::unique_ptr<ByteSource> source, std::string name,
                    size_t buffer_size)
      : name_(std::move(name)), input_(std::move(source), buffer_size) {}

  // Back to the state before the first key.
  virtual void Restart() {}

  InputBuffer& input() { return input_; }

  // All return false, for Next to return. A fault of the source is the cause
  // of any other, so it is the one that is told.
  bool End() { return input_.error().empty() ? false : Fail(""); }
  bool Fail(const std::string& what) {
    error_ = name_ + ": " + (input_.error().empty() ? what : input_.error());
    return false;
  }
  bool FailAtByte(uint64_t offset, const std::string& what) {
    return Fail("byte " + std::to_string(offset) + ": " + what);
  }

 private:
  const std::string name_;
  InputBuffer input_;
  std::string error_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_BUFFERED_KEY_READER_H_
