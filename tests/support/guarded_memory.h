// SPDX-License-Identifier: Apache-2.0

// Memory between two inaccessible pages: reading or writing one byte outside it
// ends the test.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_

#include <cstddef>

namespace cassandra_bloom::testing {

// Initially zero. A page takes memory only once it is written to, so 16 GiB
// take only what is used.
class GuardedMemory {
 public:
  // At least `size` bytes, in whole pages.
  explicit GuardedMemory(size_t size);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // False if the system refused the memory. Then nothing else may be called.
  bool exists() const { return begin_ != nullptr; }

  char* begin() const { return begin_; }
  char* end() const { return begin_ + size_; }

  // Room for n elements that ends exactly at the end of the memory.
  template <typename T>
  T* Last(size_t n) const {
    return reinterpret_cast<T*>(end()) - n;
  }

  // Looks only at pages that are in memory.
  bool IsAllZero() const;

  // Zeroes the memory and gives its pages back.
  void Clear();

 private:
  char* begin_ = nullptr;
  size_t size_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
