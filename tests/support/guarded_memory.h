// SPDX-License-Identifier: Apache-2.0

// Memory between two inaccessible pages. Reading or writing a byte next to it
// ends the test.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom::testing {

// The memory is initially zero. A page uses physical memory only after a write
// to it, so a test can ask for 16 GiB and use little.
class GuardedMemory {
 public:
  // At least `size` bytes, in whole pages.
  explicit GuardedMemory(uint64_t size);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // False if the system refused the memory. In that case, no other function may
  // be called.
  bool exists() const { return begin_ != nullptr; }

  char* begin() const { return begin_; }
  char* end() const { return begin_ + size_; }

  // Room for n elements that ends exactly at the end of the memory.
  template <typename T>
  T* Last(size_t n) const {
    return reinterpret_cast<T*>(end()) - n;
  }

  // Reads only the pages that are in physical memory, because all others are
  // zero.
  bool IsAllZero() const;

  // Zeroes the memory and returns its pages to the system.
  void Clear();

 private:
  char* begin_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
