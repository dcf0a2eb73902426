// SPDX-License-Identifier: Apache-2.0

// Compares every kernel (an implementation of the filter for certain CPUs) with
// a naive filter in millions of cases. By default, 5 % of the cases run. With
// CASSANDRA_BLOOM_PERCENT=100 in the environment, all cases run.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/filter/kernels/dispatch.h"
#include "plugin/filter/murmur3.h"
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
  uint64_t num_cases = 0;
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
        ++num_cases;
      }
    }
    ASSERT_TRUE(memory.IsAllZero()) << num_words << " words";
  }
  std::printf("%s: %" PRIu32 " capacities, %" PRIu64 " cases\n", kernel().name,
              kMostWords, num_cases);
}

// Builds and queries filters of random keys, sizes and numbers of probes.
class RandomFilters {
 public:
  RandomFilters(const Kernel& kernel, uint64_t seed)
      : kernel_(kernel), keys_(seed, 40), random_(seed) {}

  ::testing::AssertionResult Next() {
    ChooseSize();
    const ::testing::AssertionResult hashed = ChooseHashes();
    if (!hashed) {
      return hashed;
    }
    if (!BuildsTheSame()) {
      return ::testing::AssertionFailure()
             << "other bits, " << num_words_ << " words, " << num_probes_
             << " probes, " << hashes_.size() << " keys, filter "
             << num_filters_;
    }
    ++num_filters_;
    num_cases_ += hashes_.size();
    num_positions_ += hashes_.size() * static_cast<uint64_t>(num_probes_);
    return AnswersTheSame();
  }

  uint64_t num_cases() const { return num_cases_; }

  void Print() const {
    std::printf("%s: %" PRIu64 " cases, %" PRIu64 " of them keys, %" PRIu64
                " positions, %" PRIu64 " filters, %" PRIu64 " answers\n",
                kernel_.name, num_cases_, num_keys_, num_positions_,
                num_filters_, num_answers_);
  }

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

  ::testing::AssertionResult ChooseHashes() {
    switch (Random(4)) {
      case 0:
        return ChooseKeys();
      case 1:
        ChooseEdges();
        break;
      default:
        for (Hash128& hash : hashes_) {
          hash = RandomHash(&random_);
        }
    }
    return ::testing::AssertionSuccess();
  }

  void ChooseEdges() {
    const std::vector<Hash128> edges =
        EdgeHashes(uint64_t{64} * num_words_, &random_);
    for (Hash128& hash : hashes_) {
      hash = {edges[Random(edges.size())].h1, edges[Random(edges.size())].h2};
    }
  }

  // Chooses keys of random lengths, or keys that all have one random length.
  ::testing::AssertionResult ChooseKeys() {
    const bool one_length = Random(2) == 0;
    const size_t length = Random(41);
    std::vector<std::string> keys(hashes_.size());
    for (std::string& key : keys) {
      keys_.Make(num_keys_++, &key);
      if (one_length) {
        key.resize(length, static_cast<char>(num_keys_));
      }
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    kernel_.hash(views.data(), views.size(), hashes_.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (hashes_[i] != NaiveHash(keys[i])) {
        return ::testing::AssertionFailure()
               << "key " << i << " of " << keys.size() << ", " << keys[i].size()
               << " bytes: " << ToString(hashes_[i]);
      }
    }
    return ::testing::AssertionSuccess();
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
      num_answers_ += 2 * n;
    }
    return ::testing::AssertionSuccess();
  }

  const Kernel& kernel_;
  const RandomKeys keys_;
  uint64_t random_;
  int num_probes_ = 0;
  uint32_t num_words_ = 0;
  std::vector<Hash128> hashes_;
  std::string bits_;
  std::string expected_bits_;
  uint64_t num_cases_ = 0;
  uint64_t num_keys_ = 0;
  uint64_t num_positions_ = 0;
  uint64_t num_filters_ = 0;
  uint64_t num_answers_ = 0;
};

TEST_P(KernelCasesTest, RandomCases) {
  SCOPED_TRACE(Seed());
  RandomFilters filters(kernel(), Seed());
  while (filters.num_cases() < 1000000 * PercentOfCases()) {
    ASSERT_TRUE(filters.Next());
  }
  filters.Print();
}

}  // namespace
}  // namespace cassandra_bloom::testing
