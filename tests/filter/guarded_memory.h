// SPDX-License-Identifier: Apache-2.0

// Memory between two inaccessible pages. Reading or writing a byte beside the
// memory ends the test.

#ifndef CASSANDRA_BLOOM_TESTS_FILTER_GUARDED_MEMORY_H_
#define CASSANDRA_BLOOM_TESTS_FILTER_GUARDED_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom::testing {

// The memory is initially zero. Only pages that were written use physical
// memory, so a test can ask for 16 GiB.
class GuardedMemory {
 public:
  explicit GuardedMemory(uint64_t size);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // False if the system refused the memory. No other function may then be
  // called.
  bool exists() const { return begin_ != nullptr; }

  char* begin() const { return begin_; }
  char* end() const { return begin_ + size_; }

  // Returns the address of n elements that end where the memory ends.
  template <typename T>
  T* Last(size_t n) const {
    return reinterpret_cast<T*>(end()) - n;
  }

  // Reads only pages in physical memory, because all other pages are zero.
  bool IsAllZero() const;

  // Sets the memory to zero and returns its pages to the system.
  void Clear();

 private:
  char* begin_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_FILTER_GUARDED_MEMORY_H_
