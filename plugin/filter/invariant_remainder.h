// SPDX-License-Identifier: Apache-2.0

// Computes x % divisor without a division, for a divisor that stays the same.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_

#include <cassert>
#include <cstdint>

namespace cassandra_bloom {

// Multiplies by a reciprocal that is rounded up (Granlund and Montgomery,
// "Division by invariant integers using multiplication", PLDI 1994).
//
// Let s = ceil(log2(d)) - 1 and m = ceil(2^(64+s) / d), so that m fits 64 bits
// and m*d = 2^(64+s) + e with 0 <= e < d <= 2^(s+1). Then
// floor(x*m / 2^(64+s)) = floor(x/d) as long as x*e < 2^(64+s), which holds
// for every x <= 2^63. Probe positions need no more: they are magnitudes of
// signed 64-bit numbers, |INT64_MIN| = 2^63 being the largest.
#ifdef __SIZEOF_INT128__
class InvariantRemainder {
 public:
  // Requires 2 <= divisor < 2^63.
  explicit InvariantRemainder(uint64_t divisor)
      : divisor_(divisor),
        shift_(63 - __builtin_clzll(divisor - 1)),
        reciprocal_(static_cast<uint64_t>(
            ((static_cast<Uint128>(1) << (64 + shift_)) + (divisor - 1)) /
            divisor)) {
    assert(divisor >= 2);
  }

  uint64_t divisor() const { return divisor_; }

  // Returns x % divisor. Requires x <= 2^63.
  uint64_t operator()(uint64_t x) const {
    const auto high =
        static_cast<uint64_t>((static_cast<Uint128>(x) * reciprocal_) >> 64);
    return x - (high >> shift_) * divisor_;
  }

 private:
  __extension__ using Uint128 = unsigned __int128;

  uint64_t divisor_;
  int shift_;
  uint64_t reciprocal_;
};
#else
// 32-bit CPUs have no such multiplication. They divide.
class InvariantRemainder {
 public:
  explicit InvariantRemainder(uint64_t divisor) : divisor_(divisor) {
    assert(divisor >= 2);
  }

  uint64_t divisor() const { return divisor_; }
  uint64_t operator()(uint64_t x) const { return x % divisor_; }

 private:
  uint64_t divisor_;
};
#endif

// Returns the reciprocal with which the vector kernels compute x % divisor in
// their lanes, where CPUs have no wide multiplication. The quotient is computed
// in double precision, and the Divisor of a kernel corrects it in integers. The
// divisor is at most 2^53.
//
// x <= 2^57 becomes a double, is multiplied by this reciprocal, which is too
// small by a factor of 1 - 2^-50, and is rounded down. Conversion, reciprocal
// and product are each off by less than 2^-52 of their value, whatever the
// program's rounding mode. So the product is never too large, and it is too
// small by at most 7 * 2^-52 of x / divisor. That is 7/8 if x / divisor is
// 2^49: therefore the divisor must be at least 2^8. Rounded down, the product
// is the quotient or one less, and the remainder is less than 2 * divisor.
inline double SmallReciprocal(uint64_t divisor) {
  return (1 - 0x1p-50) / static_cast<double>(divisor);
}
constexpr uint64_t kMinSmallReciprocalDivisor = 256;

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_
