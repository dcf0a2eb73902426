// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/kernels/avx2_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "plugin/filter/kernels/lane_kernel_includes.h"

// The pragma sets the target CPU for the code of this file alone. A compiler
// flag would also apply to inline functions of the headers above. The linker
// might then use a copy of such a function, compiled for AVX2, in the whole
// program. But the program must run on any CPU.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi2")
#endif

#include "plugin/filter/kernels/lane_kernel_inl.h"

namespace cassandra_bloom {

namespace {

struct Avx2 {
  static constexpr size_t kLanes = 4;
  using Lanes [[gnu::vector_size(32)]] = uint64_t;
  static constexpr Lanes kNumbers = {0, 1, 2, 3};

  // Returns x * factor. It is written out because compilers generate more
  // operations for x * factor.
  [[gnu::always_inline]] static inline Lanes Product(Lanes x, uint64_t factor) {
    const auto halves = reinterpret_cast<__m256i>(x);
    const Lanes factors = Lanes{} + factor;
    const auto low = reinterpret_cast<Lanes>(
        _mm256_mul_epu32(halves, reinterpret_cast<__m256i>(factors)));
    const Lanes swapped = Lanes{} + (factor << 32 | factor >> 32);
    const auto cross = reinterpret_cast<Lanes>(
        _mm256_mullo_epi32(halves, reinterpret_cast<__m256i>(swapped)));
    return low + (cross << 32) + (cross & 0xffffffff00000000);
  }

  template <typename At>
  [[gnu::always_inline]] static inline void LoadColumns(At at, Lanes* first,
                                                        Lanes* second) {
    const __m256i even = LoadTwo(at(0), at(2));
    const __m256i odd = LoadTwo(at(1), at(3));
    *first = reinterpret_cast<Lanes>(_mm256_unpacklo_epi64(even, odd));
    *second = reinterpret_cast<Lanes>(_mm256_unpackhi_epi64(even, odd));
  }

  [[gnu::always_inline]] static inline void StoreColumns(Lanes first,
                                                         Lanes second,
                                                         void* out) {
    const auto a = reinterpret_cast<__m256i>(first);
    const auto b = reinterpret_cast<__m256i>(second);
    const __m256i even = _mm256_unpacklo_epi64(a, b);
    const __m256i odd = _mm256_unpackhi_epi64(a, b);
    auto* const to = static_cast<__m256i*>(out);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }

  class Divisor {
   public:
    Divisor(uint64_t num_words, double reciprocal)
        : num_words_(Lanes{} + num_words),
          reciprocal_(_mm256_set1_pd(reciprocal)) {}

    // Returns x mod num_words. The remainder fits into 32 bits even before it
    // is corrected, because it is then less than 2 * num_words.
    [[gnu::always_inline]] inline Lanes Remainder(Lanes x) const {
      const __m256d quotient =
          _mm256_floor_pd(_mm256_mul_pd(ToDouble(x), reciprocal_));
      const auto num_words = reinterpret_cast<HalfLanes>(num_words_);
      const HalfLanes remainder =
          reinterpret_cast<HalfLanes>(x) - ToInteger(quotient) * num_words;
      const HalfLanes less = remainder - num_words;
      return reinterpret_cast<Lanes>(less < remainder ? less : remainder) &
             0xffffffff;
    }

   private:
    using HalfLanes [[gnu::vector_size(32)]] = uint32_t;

    // Converts each lane to a double. For an integer n below 2^52, the low bits
    // of the double 2^52 + n are the bits of n. The double 2^84 + n * 2^32 has
    // the same low bits.
    [[gnu::always_inline]] static inline __m256d ToDouble(Lanes x) {
      const __m256d low_base = _mm256_set1_pd(0x1p52);
      const __m256d high_base = _mm256_set1_pd(0x1p84);
      const __m256i low = _mm256_blend_epi32(
          reinterpret_cast<__m256i>(x), _mm256_castpd_si256(low_base), 0xaa);
      const __m256i high = _mm256_or_si256(reinterpret_cast<__m256i>(x >> 32),
                                           _mm256_castpd_si256(high_base));
      __m256d sum = _mm256_sub_pd(_mm256_castsi256_pd(high),
                                  _mm256_set1_pd(0x1p84 + 0x1p52));
      // Keeps compilers from reordering the additions, which -Ofast allows.
      __asm__("" : "+x"(sum));
      return _mm256_add_pd(sum, _mm256_castsi256_pd(low));
    }

    // Returns a number whose low 52 bits are the integer `x`, which must be
    // below 2^52.
    [[gnu::always_inline]] static inline HalfLanes ToInteger(__m256d x) {
      return reinterpret_cast<HalfLanes>(
          _mm256_add_pd(x, _mm256_set1_pd(0x1p52)));
    }

    const Lanes num_words_;
    const __m256d reciprocal_;
  };

 private:
  [[gnu::always_inline]] static inline __m256i LoadTwo(const void* low,
                                                       const void* high) {
    const auto load = [](const void* at) {
      return _mm_loadu_si128(static_cast<const __m128i*>(at));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(low)),
                                   load(high), 1);
  }
};

Lookup ChooseLookup(const FilterView& filter) {
  return {PortableMayContain,
          LaneKernel<Avx2>::ChooseBatch<PortableMayContainBatch>(filter)};
}

constexpr Kernel kKernel = LaneKernel<Avx2>::AsKernel("avx2", ChooseLookup);

}  // namespace

}  // namespace cassandra_bloom

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace cassandra_bloom {

const Kernel* Avx2Kernel() {
  const bool runs =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  return runs ? &kKernel : nullptr;
}

}  // namespace cassandra_bloom

#else

namespace cassandra_bloom {

const Kernel* Avx2Kernel() { return nullptr; }

}  // namespace cassandra_bloom

#endif
