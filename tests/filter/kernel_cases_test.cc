// SPDX-License-Identifier: Apache-2.0

// Compares every kernel (an implementation of the filter for certain CPUs) with
// a naive filter in millions of cases. By default, 5 % of the cases run. With
// CASSANDRA_BLOOM_PERCENT=100 in the environment, all cases run.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/kernels/dispatch.h"
#include "tests/filter/kernel_checks.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

class KernelCasesTest : public KernelTest {};

INSTANTIATE_TEST_SUITE_P(All, KernelCasesTest, ::testing::ValuesIn(Kernels()),
                         NameOf);

uint64_t PercentOfCases() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_PERCENT");
  return given == nullptr ? 5 : std::strtoull(given, nullptr, 10);
}

int RandomNumProbes(uint64_t* random) {
  return 1 + static_cast<int>(NextRandom(random) % kMaxReadableProbes);
}

TEST_P(KernelCasesTest, AllCapacitiesUpToAMillionBits) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  constexpr uint32_t kMostWords = 1000000 / 64;
  const GuardedMemory memory(size_t{8} * kMostWords);
  for (uint32_t num_words = 1; num_words <= kMostWords; ++num_words) {
    const int num_probes = RandomNumProbes(&random);
    char* const bits = memory.end() - size_t{8} * num_words;
    for (const Hash128 hash : EdgeHashes(num_words, 100, &random)) {
      if (NextRandom(&random) % 100 < PercentOfCases()) {
        ASSERT_TRUE(
            AnswersLoneKey(kernel(), num_probes, num_words, bits, hash));
      }
    }
    ASSERT_TRUE(memory.IsAllZero()) << num_words << " words";
  }
}

// Builds and queries filters of random hashes, sizes and numbers of probes.
TEST_P(KernelCasesTest, RandomCases) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  const auto below = [&random](uint64_t bound) {
    return NextRandom(&random) % bound;
  };
  for (uint64_t num_cases = 0; num_cases < 1000000 * PercentOfCases();) {
    const int num_probes = RandomNumProbes(&random);
    const uint64_t magnitude = uint64_t{1} << below(17);
    const auto num_words =
        static_cast<uint32_t>(magnitude + below(magnitude + 1));
    // So few keys that at most about half of the bits get set, except in small
    // filters. In a fuller filter, a wrong bit is more likely to be a bit of
    // another key. The test would then not find the error.
    const uint64_t most =
        32 * uint64_t{num_words} / static_cast<uint64_t>(num_probes);
    std::vector<Hash128> hashes(std::clamp<uint64_t>(most, 16, 4000) +
                                below(16));
    // Random hashes, or, once in four times, parts of edge hashes.
    const std::vector<Hash128> edges = EdgeHashes(num_words, 0, &random);
    const bool of_edges = below(4) == 0;
    for (Hash128& hash : hashes) {
      hash = of_edges ? Hash128{edges[below(edges.size())].h1,
                                edges[below(edges.size())].h2}
                      : RandomHash(&random);
    }
    std::string bits(size_t{8} * num_words, '\0');
    std::string expected = bits;
    kernel().set_bits(hashes.data(), hashes.size(), num_probes,
                      InvariantRemainder(uint64_t{64} * num_words),
                      bits.data());
    for (const Hash128 hash : hashes) {
      AddToPlainBits(hash.h1, hash.h2, num_probes, num_words, expected.data());
    }
    // A failed EXPECT_EQ would print megabytes.
    ASSERT_TRUE(bits == expected)
        << "other bits, " << num_words << " words, " << num_probes
        << " probes, " << hashes.size() << " keys";
    for (int batch = 0; batch < 4; ++batch) {
      std::array<Hash128, kMaxBatch> asked;
      for (Hash128& hash : asked) {
        hash =
            below(2) == 0 ? RandomHash(&random) : hashes[below(hashes.size())];
      }
      ASSERT_TRUE(Answers(kernel(), num_probes, num_words, bits.data(),
                          asked.data(), 1 + below(kMaxBatch)));
    }
    num_cases += hashes.size();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
