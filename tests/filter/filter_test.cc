// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/filter/hash_list.h"
#include "plugin/filter/sizing.h"
#include "tests/support/broken_filters.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {
namespace {

Hash128 HashOf(const std::string& key) {
  return CassandraMurmur3(key.data(), key.size());
}

template <typename KeyOf>
std::string FilterOf(uint32_t num_keys, int num_probes, uint32_t num_words,
                     KeyOf key_of) {
  HashList hashes;
  for (uint32_t i = 0; i < num_keys; ++i) {
    EXPECT_TRUE(hashes.Add(HashOf(key_of(i))));
  }
  std::string file(FilterDbSize(num_words), '\0');
  BuildFilterDb(hashes, num_probes, num_words, file.data());
  return file;
}

// BloomFilter1000 of Cassandra's own tests has the int32 numbers 0 to 999 as
// keys, and is sized for a million keys.
TEST(FilterTest, EqualsCassandrasFixture) {
  const std::string file = FilterOf(1000, 10, 312501, [](uint32_t i) {
    std::string key(4, '\0');
    StoreBigEndian32(static_cast<int32_t>(i), key.data());
    return key;
  });
  EXPECT_EQ(Sha256(file),
            "4e47232c8a222f8315dc9fd931756f76d530177a8933412abdcf0cadfe57a235");
}

// RocksDB 10.9 and later ask for the size and the false positive rate before a
// filter is built.
TEST(FilterTest, SizeAndRateAreThoseForeseen) {
  constexpr int kNumAbsent = 200000;
  for (const Sizing& sizing :
       {*SizingForBitsPerKey(1), *SizingForBitsPerKey(5),
        *SizingForBitsPerKey(9.5), *SizingForBitsPerKey(10),
        *SizingForFpChance(0.01)}) {
    for (const uint32_t num_keys : {0U, 1U, 5U, 1000U, 20000U}) {
      SCOPED_TRACE(std::to_string(num_keys) + " keys of " +
                   std::to_string(sizing.bits_per_key()) + " bits");
      const std::string file =
          FilterOf(num_keys, sizing.num_probes, sizing.NumWords(num_keys),
                   [](uint32_t i) { return VectorKey("i", i); });
      EXPECT_EQ(sizing.FilterSize(num_keys), file.size());

      ParsedFilter filter;
      ASSERT_TRUE(ParseFilterDb(file.data(), file.size(), &filter));
      const FilterView view(filter);
      int num_passed = 0;
      for (uint32_t i = 0; i < kNumAbsent; ++i) {
        num_passed += view.MayContain(HashOf(VectorKey("i", num_keys + i)));
      }
      const double rate = sizing.ExpectedRate(num_keys, file.size());
      if (num_keys == 0) {
        EXPECT_EQ(rate, 0);
        EXPECT_EQ(num_passed, 0);
      } else if (num_keys >= 1000) {  // The formula is right for many keys.
        EXPECT_NEAR(rate * kNumAbsent, num_passed, 0.06 * num_passed);
      }
    }
  }
}

TEST(FilterDbTest, RefusesBrokenFilters) {
  for (const BrokenFilter& broken : kBrokenFilters) {
    SCOPED_TRACE(broken.fault);
    const std::vector<char> block = broken.Block();
    ParsedFilter filter;
    EXPECT_FALSE(ParseFilterDb(block.data(), block.size(), &filter));
    EXPECT_EQ(filter.bits, nullptr);
  }
}

TEST(HashListTest, KeepsAllInOrder) {
  HashList list;
  static constexpr uint64_t kCount = 20000;  // More than one chunk.
  for (uint64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(list.Add({i, ~i}));
    ASSERT_EQ(list.size(), i + 1);
  }
  const auto check = [](const HashList& hashes) {
    uint64_t expected = 0;
    hashes.ForEachRun([&](const Hash128* run, size_t count) {
      for (size_t i = 0; i < count; ++i, ++expected) {
        ASSERT_EQ(run[i], (Hash128{expected, ~expected}));
      }
    });
    EXPECT_EQ(expected, kCount);
  };
  check(list);
  HashList moved(std::move(list));
  check(moved);
  moved.Clear();
  EXPECT_EQ(moved.size(), 0u);
  moved.ForEachRun([](const Hash128*, size_t) { FAIL(); });
  ASSERT_TRUE(moved.Add({1, 2}));
  EXPECT_EQ(moved.size(), 1u);
}

}  // namespace
}  // namespace cassandra_bloom::testing
