// SPDX-License-Identifier: Apache-2.0

// Tests what an attacker who chooses the keys can do (SECURITY.md). Murmur3
// with a known seed can be inverted, so there is a key for any hash.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// ---- The key of a hash ----

constexpr uint64_t kFactor1 = 0x87c37b91114253d5;
constexpr uint64_t kFactor2 = 0x4cf5ad432745937f;

// Returns 1 / factor modulo 2^64 by Newton's iteration. The lowest three bits
// of the first value are right. Each step doubles the number of right bits.
constexpr uint64_t InverseOf(uint64_t factor) {
  uint64_t inverse = factor;
  for (int i = 0; i < 5; ++i) {
    inverse *= 2 - factor * inverse;
  }
  return inverse;
}

uint64_t RotateRight(uint64_t x, int r) { return (x >> r) | (x << (64 - r)); }

uint64_t Unmix(uint64_t x) {
  x ^= x >> 33;
  x *= InverseOf(0xc4ceb9fe1a85ec53);
  x ^= x >> 33;
  x *= InverseOf(0xff51afd7ed558ccd);
  x ^= x >> 33;
  return x;
}

void Store(uint64_t x, char* bytes) {
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(x >> (8 * i));
  }
}

// Returns the only 16-byte key whose PlainHash is {h1, h2}, by the
// steps of that function in reverse.
std::array<char, 16> KeyOfHash(uint64_t h1, uint64_t h2) {
  h2 -= h1;
  h1 -= h2;
  h2 = Unmix(h2);
  h1 = Unmix(h1);
  h2 -= h1;
  h1 -= h2;
  h2 ^= 16;
  h1 ^= 16;
  h2 = (h2 - 0x38495ab5) * InverseOf(5) - h1;
  h2 = RotateRight(h2, 31);
  h1 = RotateRight((h1 - 0x52dce729) * InverseOf(5), 27);
  std::array<char, 16> key;
  Store(RotateRight(h1 * InverseOf(kFactor2), 31) * InverseOf(kFactor1),
        key.data());
  Store(RotateRight(h2 * InverseOf(kFactor1), 33) * InverseOf(kFactor2),
        key.data() + 8);
  return key;
}

// ---- What such keys do ----

constexpr uint64_t kNumKeys = 100000;
constexpr double kBitsPerKey = 10;

std::unique_ptr<FilterDbBuilder> NewBuilder() {
  std::string error;
  auto builder = FilterDbBuilder::ForBitsPerKey(kBitsPerKey, kNumKeys,
                                                kNaAndLater, &error);
  EXPECT_NE(builder, nullptr) << error;
  return builder;
}

std::unique_ptr<FilterDbFile> Filter(const FilterDbBuilder& builder) {
  const TempDir folder;
  std::string error;
  EXPECT_TRUE(builder.Write(folder / "filter", /*overwrite=*/false, &error));
  auto filter = FilterDbFile::Open(folder / "filter", kNaAndLater, &error);
  EXPECT_NE(filter, nullptr) << error;
  return filter;
}

void AddHash(uint64_t h1, uint64_t h2, FilterDbBuilder* builder) {
  const auto key = KeyOfHash(h1, h2);
  builder->Add({key.data(), key.size()});
}

double RateOfRandomKeys(const FilterDbFile& filter) {
  const RandomKeys keys(Seed(), 100);
  std::string key;
  uint64_t passed = 0;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    keys.Make(i, &key);
    passed += filter.MayContain(key) ? 1 : 0;
  }
  return static_cast<double>(passed) / kNumKeys;
}

// No two chosen keys share a bit, so the keys set 70 % of the bits. Other keys
// would set 50 %. The chosen keys set all bits at even positions. So an absent
// key passes if its first position and its step are even. One key in four has
// such positions.
TEST(ChosenKeysTest, EvenPositionsFirstPassAQuarter) {
  SCOPED_TRACE(Seed());
  const auto builder = NewBuilder();
  const auto num_probes = static_cast<uint64_t>(builder->num_probes());
  const uint64_t num_even = uint64_t{32} * builder->num_words();
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    const uint64_t nth = i * num_probes;
    const uint64_t first = nth < num_even ? 2 * nth : 2 * (nth - num_even) + 1;
    AddHash(/*h1=*/2, /*h2=*/first, builder.get());
  }
  const auto filter = Filter(*builder);
  const double fill = static_cast<double>(filter->CountSetBits()) /
                      static_cast<double>(filter->capacity_bits());
  EXPECT_NEAR(fill, 0.7, 0.001);
  EXPECT_NEAR(RateOfRandomKeys(*filter), 0.28, 0.02);  // Normally 0.008.
}

// All keys have the same hash, so together they set only the bits of one key.
TEST(ChosenKeysTest, EqualHashesLeaveTheFilterEmpty) {
  const auto builder = NewBuilder();
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    AddHash(1, 2, builder.get());
  }
  EXPECT_EQ(Filter(*builder)->CountSetBits(),
            static_cast<uint64_t>(builder->num_probes()));
}

// An attacker who knows a present key can make many absent keys that pass the
// filter. A look-up of such a key costs as many reads as without a filter.
TEST(ChosenKeysTest, ThatShareTheBitsOfAPresentKeyAllPass) {
  const auto builder = NewBuilder();
  AddHash(1, 2, builder.get());
  const auto filter = Filter(*builder);
  for (uint64_t i = 1; i <= 1000; ++i) {
    const auto key = KeyOfHash(1, 2 + i * filter->capacity_bits());
    ASSERT_TRUE(filter->MayContain({key.data(), key.size()})) << i;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
