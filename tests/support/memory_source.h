// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_SOURCE_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_SOURCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "plugin/sstable/byte_source.h"

namespace cassandra_bloom::testing {

// A copy of some bytes that reads like a file or a pipe.
class MemorySource : public ByteSource {
 public:
  // Reads return at most `chunk_size` bytes, so that records are cut
  // everywhere.
  MemorySource(std::string_view bytes, size_t chunk_size, bool is_pipe)
      : bytes_(bytes), chunk_size_(chunk_size), is_pipe_(is_pipe) {}

  bool Read(char* to, size_t capacity, size_t* size,
            std::string* error) override {
    if (position_ >= fault_at_) {
      *error = "cannot read: a fault of the test";
      return false;
    }
    *size = std::min({capacity, chunk_size_, bytes_.size() - position_});
    if (*size > 0) {
      std::memcpy(to, bytes_.data() + position_, *size);
    }
    position_ += *size;
    bytes_read_ += *size;
    empty_reads_ += *size == 0 ? 1 : 0;
    return true;
  }

  bool TrySkip(uint64_t size) override {
    if (is_pipe_ || size > bytes_.size() - position_) {
      return false;
    }
    position_ += static_cast<size_t>(size);
    skipped_bytes_ += size;
    return true;
  }

  bool Rewind(std::string* error) override {
    if (is_pipe_) {
      *error = "cannot be read twice";
      return false;
    }
    position_ = 0;
    return true;
  }

  uint64_t total_bytes() const override { return is_pipe_ ? 0 : bytes_.size(); }

  // Makes reads from this position on fail.
  void FailAt(size_t position) { fault_at_ = position; }

  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t skipped_bytes() const { return skipped_bytes_; }
  int empty_reads() const { return empty_reads_; }

 private:
  const std::string bytes_;
  const size_t chunk_size_;
  const bool is_pipe_;
  size_t position_ = 0;
  size_t fault_at_ = SIZE_MAX;
  uint64_t bytes_read_ = 0;
  uint64_t skipped_bytes_ = 0;
  int empty_reads_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_SOURCE_H_
