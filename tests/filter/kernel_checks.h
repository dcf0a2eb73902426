// SPDX-License-Identifier: Apache-2.0

// What the tests of the kernels have in common.

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

// By name in the lists of tests, where an address would change with every run.
void PrintTo(const Kernel* kernel, std::ostream* out);

}  // namespace cassandra_bloom

namespace cassandra_bloom::testing {

// Instances are named after the kernels: --gtest_filter=*/avx2.
class KernelTest : public ::testing::TestWithParam<const Kernel*> {
 protected:
  static const Kernel& kernel() { return *GetParam(); }
};

std::string NameOf(const ::testing::TestParamInfo<const Kernel*>& test);

FilterView ViewOf(int num_probes, uint32_t num_words, const char* bits);

std::string ToString(Hash128 hash);

Hash128 RandomHash(uint64_t* random);

// NaiveFilter::Hash.
Hash128 NaiveHash(std::string_view key);

// Where sign, magnitude and a quotient by the capacity change, and numbers in
// floating point become inexact; in the base, in the increment and in both.
std::vector<Hash128> EdgeHashes(uint64_t capacity_bits, uint64_t* random);

// Whether the batch look-up gives exactly these n answers.
::testing::AssertionResult Answers(const Kernel& kernel,
                                   const FilterView& filter,
                                   const Hash128* hashes, size_t n,
                                   const bool* expected);

// The same of the look-up of one key.
::testing::AssertionResult AnswersOneByOne(const Kernel& kernel,
                                           const FilterView& filter,
                                           const Hash128* hashes, size_t n,
                                           const bool* expected);

// Keys of a batch that is too small for the lanes of some kernels.
constexpr size_t kFewKeys = 5;

// A filter of one key after the other: among the bits of many keys, a wrong one
// may be another's.
class LoneKeyCheck {
 public:
  // `bits` are zero, and are so again after a check that has passed, unless the
  // kernel has set bits which are not the key's.
  LoneKeyCheck(const Kernel& kernel, int num_probes, uint32_t num_words,
               char* bits);

  // All of the kernel's functions on the key of this hash.
  ::testing::AssertionResult operator()(Hash128 hash);

 private:
  bool AllAnswer(bool expected, Hash128 hash) const;
  bool BatchAnswers(bool expected, Hash128 hash, size_t n) const;
  ::testing::AssertionResult Wrong(const char* what, Hash128 hash) const;

  // Enough to be put side by side in lanes by any kernel.
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
