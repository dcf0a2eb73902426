// SPDX-License-Identifier: Apache-2.0

#include "tests/support/key_of_hash.h"

#include <cstddef>

namespace cassandra_bloom::testing {
namespace {

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

template <uint64_t kFactor>
constexpr uint64_t kInverse = InverseOf(kFactor);

uint64_t RotateRight(uint64_t x, int r) { return (x >> r) | (x << (64 - r)); }

uint64_t Unmix(uint64_t x) {
  x ^= x >> 33;
  x *= kInverse<0xc4ceb9fe1a85ec53>;
  x ^= x >> 33;
  x *= kInverse<0xff51afd7ed558ccd>;
  x ^= x >> 33;
  return x;
}

void Store(uint64_t x, char* bytes) {
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(x >> (8 * i));
  }
}

}  // namespace

// Reverses the steps of NaiveFilter::Hash.
std::array<char, 16> KeyOfHash(uint64_t h1, uint64_t h2) {
  h2 -= h1;
  h1 -= h2;
  h2 = Unmix(h2);
  h1 = Unmix(h1);
  h2 -= h1;
  h1 -= h2;
  h2 ^= 16;
  h1 ^= 16;
  h2 = (h2 - 0x38495ab5) * kInverse<5> - h1;
  h2 = RotateRight(h2, 31);
  h1 = RotateRight((h1 - 0x52dce729) * kInverse<5>, 27);
  std::array<char, 16> key;
  Store(RotateRight(h1 * kInverse<kFactor2>, 31) * kInverse<kFactor1>,
        key.data());
  Store(RotateRight(h2 * kInverse<kFactor1>, 33) * kInverse<kFactor2>,
        key.data() + 8);
  return key;
}

}  // namespace cassandra_bloom::testing
