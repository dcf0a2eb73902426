// SPDX-License-Identifier: Apache-2.0

// Checks for a Kernel, an implementation of the filter for certain CPUs.

#ifndef CASSANDRA_BLOOM_TESTS_FILTER_KERNEL_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_FILTER_KERNEL_CHECKS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter/filter_view.h"
#include "plugin/filter/kernels/kernel.h"
#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// Without this function, gtest prints an address that differs in every run.
void PrintTo(const Kernel* kernel, std::ostream* out);

}  // namespace cassandra_bloom

namespace cassandra_bloom::testing {

// Runs each test once for each kernel. --gtest_filter=*/avx2 selects one.
class KernelTest : public ::testing::TestWithParam<const Kernel*> {
 protected:
  static const Kernel& kernel() { return *GetParam(); }
};

std::string NameOf(const ::testing::TestParamInfo<const Kernel*>& test);

// Memory between two inaccessible pages. Reading or writing a byte beside the
// memory ends the test. The memory is initially zero. Only pages that were
// written use physical memory, so a test can ask for 16 GiB.
class GuardedMemory {
 public:
  // Throws std::system_error if the system refuses the memory.
  explicit GuardedMemory(uint64_t size);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

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
  const size_t size_;
  char* begin_;
};

FilterView ViewOf(int num_probes, uint32_t num_words, const char* bits);

std::string ToString(Hash128 hash);

Hash128 RandomHash(uint64_t* random);

Hash128 NaiveHash(std::string_view key);

// Returns hashes with special values in h1, in h2, or in both, and so many
// random ones. At the special values, a sign or a quotient changes, or a double
// is no longer exact.
std::vector<Hash128> EdgeHashes(uint32_t num_words, size_t num_random,
                                uint64_t* random);

// Checks that one batch of `n` hashes, and each of them alone, is answered as
// the naive filter answers for the same bits, and that the batch writes nothing
// after its answers.
::testing::AssertionResult Answers(const Kernel& kernel, int num_probes,
                                   uint32_t num_words, const char* bits,
                                   const Hash128* hashes, size_t n);

// Too few keys to fill the vector registers of some kernels.
constexpr size_t kFewKeys = 5;

// Tests set_bits and the look-ups of the kernel with a filter of this key
// alone, because more keys could hide a wrong bit. All of `bits` must be zero.
// A successful check clears the bits of the key again. If the kernel has set
// other bits, they stay set.
::testing::AssertionResult AnswersLoneKey(const Kernel& kernel, int num_probes,
                                          uint32_t num_words, char* bits,
                                          Hash128 hash);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_FILTER_KERNEL_CHECKS_H_
