// SPDX-License-Identifier: Apache-2.0

// Memory between two pages that nobody may touch: reading or writing one byte
// too far ends the test.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_

#include <cstddef>

namespace cassandra_bloom::testing {

// All zero. A page takes memory only once it is written to, so 16 GiB of which
// little is used are no more than that little.
class GuardedMemory {
 public:
  // At least `size` bytes, in whole pages.
  explicit GuardedMemory(size_t size);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // False if the system has refused it. Then there is nothing to use.
  bool exists() const { return begin_ != nullptr; }

  char* begin() const { return begin_; }
  char* end() const { return begin_ + size_; }

  // Room for n of them that ends where the memory ends.
  template <typename T>
  T* Last(size_t n) const {
    return reinterpret_cast<T*>(end()) - n;
  }

  // Looks only at the pages that take memory.
  bool IsAllZero() const;

  // Zero again, and takes no memory.
  void Clear();

 private:
  char* begin_ = nullptr;
  size_t size_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_GUARDED_MEMORY_H_
