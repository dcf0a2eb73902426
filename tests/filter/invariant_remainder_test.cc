// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/invariant_remainder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/probes.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint64_t kLargestValue = uint64_t{1} << 63;  // |INT64_MIN|

// Tests numbers beside multiples of the divisor, because the quotient changes
// there.
void CheckDivisor(uint64_t divisor, uint64_t* random) {
  const InvariantRemainder remainder(divisor);
  const uint64_t largest_multiple = kLargestValue / divisor * divisor;
  const uint64_t some_multiple = NextRandom(random) / 2 / divisor * divisor;
  for (const uint64_t x :
       {uint64_t{0}, uint64_t{1}, divisor - 1, divisor, divisor + 1,
        some_multiple - (some_multiple > 0), some_multiple, some_multiple + 1,
        largest_multiple - 1, largest_multiple, kLargestValue - 1,
        kLargestValue, NextRandom(random) / 2}) {
    ASSERT_EQ(remainder(x), x % divisor) << x << " % " << divisor;
  }
}

TEST(InvariantRemainderTest, EqualsPlainRemainder) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  // All small capacities, those of the largest filters, numbers around powers
  // of two, and random numbers.
  for (uint64_t capacity = 64; capacity <= (1 << 20); capacity += 64) {
    ASSERT_NO_FATAL_FAILURE(CheckDivisor(capacity, &random));
  }
  for (uint64_t words = kMaxFilterWords; words > kMaxFilterWords - 10000;
       --words) {
    ASSERT_NO_FATAL_FAILURE(CheckDivisor(64 * words, &random));
  }
  for (int log2 = 2; log2 < 63; ++log2) {
    const uint64_t power = uint64_t{1} << log2;
    for (uint64_t offset = 0; offset <= 64 * 64; offset += 1) {
      ASSERT_NO_FATAL_FAILURE(CheckDivisor(power + offset, &random));
      if (power - offset >= 2 && offset < power) {
        ASSERT_NO_FATAL_FAILURE(CheckDivisor(power - offset, &random));
      }
    }
  }
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t divisor = 2 + (NextRandom(&random) >> (1 + i % 62));
    ASSERT_NO_FATAL_FAILURE(CheckDivisor(divisor, &random));
  }
}

TEST(ProbeSequenceTest, EqualsTheReference) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  const auto check = [](Hash128 hash, uint32_t num_words) {
    constexpr int kProbes = 20;
    const InvariantRemainder capacity(uint64_t{64} * num_words);
    ProbeSequence probes(hash, capacity);
    for (int i = 0; i < kProbes; ++i) {
      ProbeSequence skipped(hash, capacity);
      skipped.Skip(i);
      const uint64_t expected = PlainPosition(hash.h1, hash.h2, i, num_words);
      ASSERT_EQ(probes.Next(), expected);
      ASSERT_EQ(skipped.Next(), expected);
    }
  };
  constexpr uint64_t kEdges[] = {0,
                                 1,
                                 kLargestValue - 1,
                                 kLargestValue,  // INT64_MIN
                                 kLargestValue + 1,
                                 UINT64_MAX};
  for (int i = 0; i < 1000; ++i) {
    const auto num_words =
        static_cast<uint32_t>(1 + NextRandom(&random) % 1000);
    for (const uint64_t base : kEdges) {
      for (const uint64_t increment : kEdges) {
        ASSERT_NO_FATAL_FAILURE(check({increment, base}, num_words));
      }
    }
    ASSERT_NO_FATAL_FAILURE(
        check({NextRandom(&random), NextRandom(&random)}, num_words));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
