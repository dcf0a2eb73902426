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
#include "plugin/filter/filter_view.h"
#include "plugin/filter/kernels/dispatch.h"
#include "tests/filter/guarded_memory.h"
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
    LoneKeyCheck check(kernel(), RandomNumProbes(&random), num_words,
                       memory.end() - size_t{8} * num_words);
    std::vector<Hash128> hashes = EdgeHashes(uint64_t{64} * num_words, &random);
    for (int i = 0; i < 100; ++i) {
      hashes.push_back(RandomHash(&random));
    }
    for (const Hash128 hash : hashes) {
      if (NextRandom(&random) % 100 < PercentOfCases()) {
        ASSERT_TRUE(check(hash));
      }
    }
    ASSERT_TRUE(memory.IsAllZero()) << num_words << " words";
  }
}

// Builds and queries filters of random keys, sizes and numbers of probes.
class RandomFilters {
 public:
  RandomFilters(const Kernel& kernel, uint64_t seed)
      : kernel_(kernel), random_(seed) {}

  ::testing::AssertionResult Next() {
    ChooseSize();
    ChooseHashes();
    if (!BuildsTheSame()) {
      return ::testing::AssertionFailure()
             << "other bits, " << num_words_ << " words, " << num_probes_
             << " probes, " << hashes_.size() << " keys, filter "
             << num_filters_;
    }
    ++num_filters_;
    num_cases_ += hashes_.size();
    return AnswersTheSame();
  }

  uint64_t num_cases() const { return num_cases_; }

 private:
  uint64_t Random(uint64_t bound) { return NextRandom(&random_) % bound; }

  // Chooses so few keys that at most about half of the bits get set, except in
  // small filters. In a fuller filter, a wrong bit is more likely to be a bit
  // of another key. The test would then not find the error.
  void ChooseSize() {
    num_probes_ = RandomNumProbes(&random_);
    const uint64_t magnitude = uint64_t{1} << Random(17);
    num_words_ = static_cast<uint32_t>(magnitude + Random(magnitude + 1));
    const uint64_t most =
        32 * uint64_t{num_words_} / static_cast<uint64_t>(num_probes_);
    hashes_.resize(std::clamp<uint64_t>(most, 16, 4000) + Random(16));
  }

  // Chooses random hashes, or, once in four times, parts of edge hashes.
  void ChooseHashes() {
    const std::vector<Hash128> edges =
        EdgeHashes(uint64_t{64} * num_words_, &random_);
    const bool of_edges = Random(4) == 0;
    for (Hash128& hash : hashes_) {
      hash = of_edges ? Hash128{edges[Random(edges.size())].h1,
                                edges[Random(edges.size())].h2}
                      : RandomHash(&random_);
    }
  }

  bool BuildsTheSame() {
    bits_.assign(size_t{8} * num_words_, '\0');
    kernel_.set_bits(hashes_.data(), hashes_.size(), num_probes_,
                     InvariantRemainder(uint64_t{64} * num_words_),
                     bits_.data());
    expected_bits_.assign(size_t{8} * num_words_, '\0');
    for (const Hash128 hash : hashes_) {
      AddToPlainBits(hash.h1, hash.h2, num_probes_, num_words_,
                     expected_bits_.data());
    }
    return bits_ == expected_bits_;
  }

  // Queries batches of keys, about half of them present, then single keys.
  ::testing::AssertionResult AnswersTheSame() {
    const FilterView filter = ViewOf(num_probes_, num_words_, bits_.data());
    for (int batch = 0; batch < 4; ++batch) {
      std::array<Hash128, kMaxBatch> asked;
      std::array<bool, kMaxBatch> expected;
      for (size_t i = 0; i < kMaxBatch; ++i) {
        asked[i] = Random(2) == 0 ? RandomHash(&random_)
                                  : hashes_[Random(hashes_.size())];
        expected[i] = PlainBitsMayContain(asked[i].h1, asked[i].h2, num_probes_,
                                          num_words_, expected_bits_.data());
      }
      const size_t n = 1 + Random(kMaxBatch);
      ::testing::AssertionResult answers =
          Answers(kernel_, filter, asked.data(), n, expected.data());
      if (answers) {
        answers =
            AnswersOneByOne(kernel_, filter, asked.data(), n, expected.data());
      }
      if (!answers) {
        return answers << " in filter " << num_filters_ << ", " << num_words_
                       << " words, " << num_probes_ << " probes";
      }
    }
    return ::testing::AssertionSuccess();
  }

  const Kernel& kernel_;
  uint64_t random_;
  int num_probes_ = 0;
  uint32_t num_words_ = 0;
  std::vector<Hash128> hashes_;
  std::string bits_;
  std::string expected_bits_;
  uint64_t num_cases_ = 0;
  uint64_t num_filters_ = 0;
};

TEST_P(KernelCasesTest, RandomCases) {
  SCOPED_TRACE(Seed());
  RandomFilters filters(kernel(), Seed());
  while (filters.num_cases() < 1000000 * PercentOfCases()) {
    ASSERT_TRUE(filters.Next());
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
