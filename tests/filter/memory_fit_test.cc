// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/memory_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "plugin/filter/block_form.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kMaxWords = MaxWords(BlockForm::kBesideRocksdb);

// A block in the cache is a Filter.db, our trailer, and the type and checksum
// of RocksDB's block.
size_t CachedSize(uint32_t num_words) {
  return 8 + size_t{8} * num_words + 5 + 5;
}

// jemalloc's size classes: multiples of 16 up to 128, then four in each
// doubling (the page "Size classes" of jemalloc's manual).
size_t JemallocsSize(size_t size) {
  size_t step = 16;
  while (size > 8 * step) {
    step *= 2;
  }
  return (size + step - 1) / step * step;
}

size_t ExactSize(size_t size) { return size; }

double Rate(const Sizing& sizing, uint64_t num_keys, uint32_t num_words) {
  return FalsePositiveRate(sizing.num_probes, static_cast<double>(num_keys),
                           64.0 * num_words);
}

// The mean of what was planned and of what was built, over many filters.
struct Means {
  double planned_rate = 0;
  double rate = 0;
  double waste = 0;  // Memory that is given and not used, as a part of all.
};

// The rates of filters of 100 to 1 million keys.
template <typename NumWords>
Means MeansOf(const Sizing& sizing, std::mt19937_64* random, int count,
              NumWords num_words_for) {
  std::uniform_real_distribution<double> exponent(2, 6);
  Means sums;
  double used = 0;
  double given = 0;
  for (int i = 0; i < count; ++i) {
    const auto num_keys =
        static_cast<uint64_t>(std::pow(10, exponent(*random)));
    const uint32_t planned = sizing.NumWords(num_keys);
    const uint32_t num_words = num_words_for(num_keys);
    EXPECT_GE(num_words, planned / 4 * 3) << num_keys;
    EXPECT_LE(num_words, planned + planned / 3) << num_keys;
    sums.planned_rate += Rate(sizing, num_keys, planned) / count;
    sums.rate += Rate(sizing, num_keys, num_words) / count;
    used += static_cast<double>(CachedSize(num_words));
    given += static_cast<double>(JemallocsSize(CachedSize(num_words)));
  }
  sums.waste = 1 - used / given;
  return sums;
}

TEST(MemoryFitTest, FillsSizeClassesAtThePlannedRate) {
  SCOPED_TRACE(Seed());
  std::mt19937_64 random(Seed());
  for (const double bits : {1.0, 6.5, 10.0, 16.0, 30.0}) {
    SCOPED_TRACE(bits);
    const Sizing sizing = *SizingForBitsPerKey(bits);
    MemoryFit fit(JemallocsSize);
    const Means fitted = MeansOf(sizing, &random, 2000, [&](uint64_t num_keys) {
      return fit.NumWords(sizing, num_keys, kMaxWords);
    });
    EXPECT_LT(fitted.waste, 0.001);
    EXPECT_LE(fitted.rate, fitted.planned_rate);
    EXPECT_GE(fitted.rate, 0.98 * fitted.planned_rate);
    const Means exact = MeansOf(sizing, &random, 2000, [&](uint64_t num_keys) {
      return sizing.NumWords(num_keys);
    });
    EXPECT_GT(exact.waste, 0.05);
  }
}

TEST(MemoryFitTest, EachLevelKeepsItsRate) {
  MemoryFit fit(JemallocsSize);
  const Sizing low = *SizingForBitsPerKey(9.47);
  const Sizing high = *SizingForBitsPerKey(14.2);
  double excess[2] = {0, 0};
  for (uint64_t i = 0; i < 1000; ++i) {
    for (const bool is_high : {false, true}) {
      const Sizing& sizing = is_high ? high : low;
      const uint64_t num_keys = 10000 + 37 * i;
      const double planned = Rate(sizing, num_keys, sizing.NumWords(num_keys));
      const uint32_t num_words = fit.NumWords(sizing, num_keys, kMaxWords);
      excess[is_high] += Rate(sizing, num_keys, num_words) / planned - 1;
    }
  }
  EXPECT_NEAR(excess[0] / 1000, 0, 0.02);
  EXPECT_NEAR(excess[1] / 1000, 0, 0.02);
}

TEST(MemoryFitTest, WithoutSizeClassesSizesAreThePlannedOnes) {
  MemoryFit fit(ExactSize);
  const Sizing sizing = *SizingForBitsPerKey(10);
  for (uint64_t num_keys = 0; num_keys < 100000; num_keys += 17) {
    ASSERT_EQ(fit.NumWords(sizing, num_keys, kMaxWords),
              sizing.NumWords(num_keys));
  }
}

TEST(MemoryFitTest, EveryFilterHasAWordAndNoneTooMany) {
  const Sizing sizing = *SizingForBitsPerKey(1);
  for (const auto usable_size : {JemallocsSize, ExactSize}) {
    MemoryFit fit(usable_size);
    for (uint64_t num_keys = 0; num_keys < 2000; ++num_keys) {
      ASSERT_GE(fit.NumWords(sizing, num_keys, kMaxWords), 1u);
      ASSERT_LE(fit.NumWords(sizing, num_keys, 20), 20u);
    }
    EXPECT_EQ(fit.NumWords(sizing, UINT64_MAX, kMaxWords), kMaxWords);
  }
}

TEST(MemoryFitTest, TheAllocatorGivesAtLeastWhatIsAskedFor) {
  for (const size_t size :
       {size_t{1}, size_t{26}, size_t{4096}, size_t{1} << 20}) {
    EXPECT_GE(UsableSize(size), size);
    EXPECT_LE(UsableSize(size), 2 * size + 64);
  }
  EXPECT_EQ(UsableSize(SIZE_MAX / 2), SIZE_MAX / 2);  // More than can be had.
}

}  // namespace
}  // namespace cassandra_bloom::testing
