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

FilterView ViewOf(int num_probes, uint32_t num_words, const char* bits);

std::string ToString(Hash128 hash);

Hash128 RandomHash(uint64_t* random);

Hash128 NaiveHash(std::string_view key);

// Returns hashes with special values in h1, in h2, or in both. At these values,
// a sign or a quotient changes, or a double is no longer exact.
std::vector<Hash128> EdgeHashes(uint64_t capacity_bits, uint64_t* random);

// Checks that one batch of `n` hashes gives the answers `expected`, and that it
// writes nothing after these answers.
::testing::AssertionResult Answers(const Kernel& kernel,
                                   const FilterView& filter,
                                   const Hash128* hashes, size_t n,
                                   const bool* expected);

// Checks that queries of single keys give the `n` answers `expected`.
::testing::AssertionResult AnswersOneByOne(const Kernel& kernel,
                                           const FilterView& filter,
                                           const Hash128* hashes, size_t n,
                                           const bool* expected);

// Too few keys to fill the vector registers of some kernels.
constexpr size_t kFewKeys = 5;

// Tests filters of one key, because more keys could hide a wrong bit.
class LoneKeyCheck {
 public:
  // All of `bits` must be zero. A successful check clears the bits of its key
  // again. If the kernel has set other bits, they stay set.
  LoneKeyCheck(const Kernel& kernel, int num_probes, uint32_t num_words,
               char* bits);

  // Tests set_bits and the look-ups of the kernel with a key of this hash.
  ::testing::AssertionResult operator()(Hash128 hash);

 private:
  bool AllAnswer(bool expected, Hash128 hash) const;
  bool BatchAnswers(bool expected, Hash128 hash, size_t n) const;
  ::testing::AssertionResult Wrong(const char* what, Hash128 hash) const;

  // Enough keys to fill the vector registers of every kernel.
  static constexpr size_t kCopies = 16;

  const Kernel& kernel_;
  const FilterView filter_;
  const Lookup lookup_;
  const uint32_t num_words_;
  char* const bits_;
  std::vector<uint64_t> positions_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_FILTER_KERNEL_CHECKS_H_
