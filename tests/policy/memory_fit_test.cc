// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/memory_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "plugin/filter/block_layout.h"
#include "plugin/policy/block_form.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kMaxWords = MaxWords(BlockForm::kBesideRocksdb);

// Returns the size in bytes of a filter block in memory. The block is a
// Filter.db with the trailers of this library and of RocksDB. Each trailer has
// 5 bytes.
size_t CachedSize(uint32_t num_words) {
  return 8 + size_t{8} * num_words + 5 + 5;
}

// Returns how many bytes jemalloc gives for a request of `size` bytes. Up to
// 128 bytes, jemalloc gives multiples of 16. Above, it has four sizes up to
// each next power of two (the page "Size classes" of its manual).
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

struct Means {
  double planned_rate = 0;
  double rate = 0;
  double waste = 0;  // The unused part of the allocated memory.
};

// Chooses the sizes of `count` filters with 100 to 1 million keys. Returns the
// mean rates and the unused part of the memory.
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
    EXPECT_GE(4 * num_words, 3 * planned) << num_keys;
    EXPECT_LE(3 * num_words, 4 * planned) << num_keys;
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

// Each filter of 1.17 million keys comes after ten filters of 15,700 keys. Both
// sizes are just above a size class of jemalloc. The many small filters must
// not make the mean rate of the large filters worse.
TEST(MemoryFitTest, SmallFilesDoNotPayForLargeOnes) {
  MemoryFit fit(JemallocsSize);
  const Sizing sizing = *SizingForBitsPerKey(10);
  double large = 0;
  double planned_large = 0;
  for (uint64_t i = 0; i < 1100; ++i) {
    const bool is_large = i % 11 == 10;
    const uint64_t num_keys = (is_large ? 1170000 : 15700) + i;
    const uint32_t num_words = fit.NumWords(sizing, num_keys, kMaxWords);
    if (is_large) {
      large += Rate(sizing, num_keys, num_words);
      planned_large += Rate(sizing, num_keys, sizing.NumWords(num_keys));
    }
  }
  EXPECT_LE(large, planned_large);
  EXPECT_GE(large, 0.98 * planned_large);
}

// All size classes are powers of two. Many filters are enlarged, which lowers
// the mean false positive rate. This must not make many later filters smaller
// than planned.
TEST(MemoryFitTest, LittleIsSavedUp) {
  MemoryFit fit([](size_t size) {
    size_t given = 1;
    while (given < size) {
      given *= 2;
    }
    return given;
  });
  const Sizing sizing = *SizingForBitsPerKey(10);
  const auto words = [&](uint64_t num_keys) {
    return fit.NumWords(sizing, num_keys, kMaxWords);
  };
  // Filters of 100,000 keys have 125 KB and are enlarged to 128 KiB. Filters of
  // 60,000 keys have 75 KB and could shrink to 64 KiB.
  constexpr uint64_t kOften = 100000;
  constexpr uint64_t kRare = 60000;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GT(words(kOften), sizing.NumWords(kOften));
  }
  int smaller = 0;
  for (int i = 0; i < 100; ++i) {
    smaller += words(kRare) < sizing.NumWords(kRare) ? 1 : 0;
  }
  EXPECT_LE(smaller, 3);
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
    // A filter of this size cannot be allocated, so it keeps its planned size.
    EXPECT_EQ(fit.NumWords(sizing, UINT64_MAX, kMaxFilterWords),
              kMaxFilterWords);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
