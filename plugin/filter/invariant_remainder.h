// SPDX-License-Identifier: Apache-2.0

// Computes x % divisor without a division, for a divisor that stays the same.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_

#include <cassert>
#include <cstdint>

namespace cassandra_bloom {

// Computes the quotient as a product with a reciprocal that is rounded up
// (Granlund and Montgomery, "Division by invariant integers using
// multiplication", PLDI 1994).
//
// Proof that the quotient is right: Let d be the divisor, s = ceil(log2(d)) - 1
// and m = ceil(2^(64+s) / d). In the code, s is shift_ and m is reciprocal_.
// Then m fits into 64 bits, and m*d = 2^(64+s) + e with 0 <= e < d <= 2^(s+1).
// If x*e < 2^(64+s), then floor(x*m / 2^(64+s)) = floor(x/d). This is true for
// every x <= 2^63. A larger x is not needed, because x is the magnitude of a
// signed 64-bit number.
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

// Returns a reciprocal of `divisor`, which must be at most 2^53. The vector
// kernels compute x % divisor with it, for x <= 2^57 and divisor >= 2^8. They
// calculate in doubles, because CPUs cannot multiply 64-bit lanes to 128 bits.
//
// A kernel converts x to a double, multiplies it by this reciprocal and rounds
// the product down. The result is the quotient or one less. So the remainder is
// less than 2 * divisor, and the kernel corrects it by one subtraction.
//
// Proof: The factor 1 - 2^-50 makes the reciprocal too small. The conversion,
// the reciprocal and the product are each wrong by less than 2^-52 of their
// value, in any rounding mode. So the product is never too large, and it is too
// small by at most 7 * 2^-52 * x / divisor. This is at most 7/8, because x /
// divisor is at most 2^49.
inline double SmallReciprocal(uint64_t divisor) {
  return (1 - 0x1p-50) / static_cast<double>(divisor);
}
constexpr uint64_t kMinSmallReciprocalDivisor = 256;

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_INVARIANT_REMAINDER_H_
