// SPDX-License-Identifier: Apache-2.0

// Checks that the tests of the kernels share.

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

// Prints the kernel's name. By default gtest prints the address, which differs
// in every run.
void PrintTo(const Kernel* kernel, std::ostream* out);

}  // namespace cassandra_bloom

namespace cassandra_bloom::testing {

// gtest names the instances after the kernels, as in --gtest_filter=*/avx2.
class KernelTest : public ::testing::TestWithParam<const Kernel*> {
 protected:
  static const Kernel& kernel() { return *GetParam(); }
};

std::string NameOf(const ::testing::TestParamInfo<const Kernel*>& test);

FilterView ViewOf(int num_probes, uint32_t num_words, const char* bits);

std::string ToString(Hash128 hash);

Hash128 RandomHash(uint64_t* random);

// NaiveFilter::Hash of the key, as a Hash128.
Hash128 NaiveHash(std::string_view key);

// Hashes with special values in the base, in the increment, or in both. At
// these values the sign, the magnitude or the quotient by the capacity changes,
// or a double becomes inexact.
std::vector<Hash128> EdgeHashes(uint64_t capacity_bits, uint64_t* random);

// Checks that the kernel's batch look-up gives exactly these n answers and
// writes nothing else.
::testing::AssertionResult Answers(const Kernel& kernel,
                                   const FilterView& filter,
                                   const Hash128* hashes, size_t n,
                                   const bool* expected);

// The same check for the kernel's look-up of a single key.
::testing::AssertionResult AnswersOneByOne(const Kernel& kernel,
                                           const FilterView& filter,
                                           const Hash128* hashes, size_t n,
                                           const bool* expected);

// The size of a batch that is too small to fill the lanes of some kernels.
constexpr size_t kFewKeys = 5;

// Tests a kernel on filters of one key each. Among the bits of many keys, a
// wrong bit could go unnoticed, because it might belong to another key.
class LoneKeyCheck {
 public:
  // All of `bits` must be zero. A check that passes leaves them zero, unless
  // the kernel also set a bit that does not belong to the key.
  LoneKeyCheck(const Kernel& kernel, int num_probes, uint32_t num_words,
               char* bits);

  // Tests all of the kernel's functions on a key with this hash.
  ::testing::AssertionResult operator()(Hash128 hash);

 private:
  bool AllAnswer(bool expected, Hash128 hash) const;
  bool BatchAnswers(bool expected, Hash128 hash, size_t n) const;
  ::testing::AssertionResult Wrong(const char* what, Hash128 hash) const;

  // A batch of this many copies of the key fills the lanes of any kernel.
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
