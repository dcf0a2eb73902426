// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/kernels/avx512_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "plugin/filter/kernels/lane_kernel_includes.h"

// The pragma sets the target CPU for the code of this file alone. A compiler
// flag would also apply to inline functions of the headers above. The linker
// might then use a copy of such a function, compiled for AVX-512, in the whole
// program. But the program must run on any CPU.
#if defined(__clang__)
#pragma clang attribute push(                                    \
    __attribute__((target("avx512f,avx512dq,avx512ifma,bmi2"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512ifma,bmi2")
// GCC's own header causes false warnings:
// https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105593
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include "plugin/filter/kernels/lane_kernel_inl.h"

namespace cassandra_bloom {

namespace {

struct Avx512 {
  static constexpr size_t kLanes = 8;
  using Lanes [[gnu::vector_size(64)]] = uint64_t;
  static constexpr Lanes kNumbers = {0, 1, 2, 3, 4, 5, 6, 7};

  [[gnu::always_inline]] static inline Lanes Product(Lanes x, uint64_t factor) {
    return x * factor;
  }

  template <typename At>
  [[gnu::always_inline]] static inline void LoadColumns(At at, Lanes* first,
                                                        Lanes* second) {
    const __m512i even = LoadFour(at(0), at(2), at(4), at(6));
    const __m512i odd = LoadFour(at(1), at(3), at(5), at(7));
    *first = reinterpret_cast<Lanes>(_mm512_unpacklo_epi64(even, odd));
    *second = reinterpret_cast<Lanes>(_mm512_unpackhi_epi64(even, odd));
  }

  [[gnu::always_inline]] static inline void StoreColumns(Lanes first,
                                                         Lanes second,
                                                         void* out) {
    const auto a = reinterpret_cast<__m512i>(first);
    const auto b = reinterpret_cast<__m512i>(second);
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    auto* const to = static_cast<char*>(out);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(a, low, b));
    _mm512_storeu_si512(to + 64, _mm512_permutex2var_epi64(a, high, b));
  }

  class Divisor {
   public:
    Divisor(uint64_t num_words, double reciprocal)
        : num_words_(Lanes{} + num_words),
          reciprocal_(_mm512_set1_pd(reciprocal)) {}

    [[gnu::always_inline]] inline Lanes Remainder(Lanes x) const {
      const __m512d quotient = _mm512_mul_pd(
          _mm512_cvtepu64_pd(reinterpret_cast<__m512i>(x)), reciprocal_);
      // On Intel's CPUs, a product of 64 bits takes three multiplications, and
      // a product of 52 bits takes one. 52 bits are enough here, because the
      // quotient x / num_words is at most 2^57 / 2^8, and the remainder is less
      // than 2 * num_words.
      const auto product = reinterpret_cast<Lanes>(
          _mm512_madd52lo_epu64(__m512i{}, _mm512_cvttpd_epu64(quotient),
                                reinterpret_cast<__m512i>(num_words_)));
      const Lanes remainder = (x - product) & ((uint64_t{1} << 52) - 1);
      const Lanes less = remainder - num_words_;
      return less < remainder ? less : remainder;
    }

   private:
    const Lanes num_words_;
    const __m512d reciprocal_;
  };

 private:
  [[gnu::always_inline]] static inline __m512i LoadFour(const void* p0,
                                                        const void* p1,
                                                        const void* p2,
                                                        const void* p3) {
    const auto load = [](const void* at) {
      return _mm_loadu_si128(static_cast<const __m128i*>(at));
    };
    const __m512i first = _mm512_castsi128_si512(load(p0));
    return _mm512_inserti64x2(
        _mm512_inserti64x2(_mm512_inserti64x2(first, load(p1), 1), load(p2), 2),
        load(p3), 3);
  }
};

constexpr int kProbesInVector = 8;
constexpr int kFirst = FilterView::kProbesAtOnce;

struct Positions {
  __m512i word;
  __m512i mask;
};

// Returns the positions of eight probes of one key, from `first_probe` on. If
// the filter has fewer probes left, repeats the last one. This is a copy of the
// rule of ProbeSequence, because AVX-512 computes the magnitudes in one
// instruction.
[[gnu::always_inline]] inline Positions PositionsOf(const FilterView& filter,
                                                    Hash128 hash,
                                                    int first_probe) {
  assert(filter.num_words() >= kMinSmallReciprocalDivisor);
  const auto last = static_cast<uint64_t>(filter.num_probes() - 1);
  const Avx512::Lanes numbers =
      Avx512::kNumbers + static_cast<uint64_t>(first_probe);
  const Avx512::Lanes steps = numbers < last ? numbers : Avx512::Lanes{} + last;
  const __m512i magnitude =
      _mm512_abs_epi64(reinterpret_cast<__m512i>(hash.h2 + hash.h1 * steps));
  const Avx512::Divisor divisor(filter.num_words(), filter.words_reciprocal());
  const Avx512::Lanes word = divisor.Remainder(
      reinterpret_cast<Avx512::Lanes>(_mm512_srli_epi64(magnitude, 6)));
  // The rotation takes its count modulo 64, so `magnitude & 63` is not needed.
  return {reinterpret_cast<__m512i>(word),
          _mm512_rolv_epi64(_mm512_set1_epi64(1), magnitude)};
}

[[gnu::always_inline]] inline void Prefetch(const FilterView& filter,
                                            const Positions& positions) {
  alignas(Avx512::Lanes) uint64_t words[kProbesInVector];
  _mm512_store_si512(words, positions.word);
  for (const uint64_t word : words) {
    __builtin_prefetch(filter.bits() + word * 8);
  }
}

// Tests whether the bits of eight probes are set. Loads four words first, and
// the other four only if the first four bits are set. A gather instruction for
// all eight words was 4 to 8 % slower for absent keys in a database of four
// levels (Emerald Rapids), because the test then waits for all eight words. In
// the filter alone it was faster.
class Words {
 public:
  [[gnu::always_inline]] static inline bool AllSet(const FilterView& filter,
                                                   const Positions& positions) {
    return FourSet(filter, _mm512_castsi512_si256(positions.word),
                   _mm512_castsi512_si256(positions.mask)) &&
           FourSet(filter, _mm512_extracti64x4_epi64(positions.word, 1),
                   _mm512_extracti64x4_epi64(positions.mask, 1));
  }

 private:
  // No std::array is used, because the linker may share its functions, compiled
  // for AVX-512, with code that must run on any CPU.
  struct Numbers {
    int64_t word[4];
  };

  [[gnu::always_inline]] static inline Numbers NumbersOf(__m256i words) {
    const __m128i low = _mm256_castsi256_si128(words);
    const __m128i high = _mm256_extracti128_si256(words, 1);
    return {{_mm_cvtsi128_si64(low), _mm_extract_epi64(low, 1),
             _mm_cvtsi128_si64(high), _mm_extract_epi64(high, 1)}};
  }

  [[gnu::always_inline]] static inline bool FourSet(const FilterView& filter,
                                                    __m256i words,
                                                    __m256i masks) {
    const auto load = [&filter](int64_t word) {
      return static_cast<int64_t>(LoadLittleEndian64(filter.bits() + word * 8));
    };
    const Numbers numbers = NumbersOf(words);
    const __m256i bits =
        _mm256_setr_epi64x(load(numbers.word[0]), load(numbers.word[1]),
                           load(numbers.word[2]), load(numbers.word[3]));
    return _mm256_testc_si256(bits, masks) != 0;
  }
};

// ---- One key ----

// Looks up one key. Computes the first three positions one by one, because the
// first bit is then loaded sooner than after a vector of positions. Most absent
// keys fail one of the first three probes. All probes in one vector of eight
// were 4 % slower for absent keys, and four probes first were no faster.
bool MayContainInSteps(const FilterView& filter, Hash128 hash) {
  assert(filter.num_probes() >= kFirst);
  constexpr int kTested = kFirst + kProbesInVector;
  ProbeSequence probes(hash, filter.capacity_bits());
  const bool first_set = filter.NextSet(probes, kFirst);
  const Positions next = PositionsOf(filter, hash, kFirst);
  Prefetch(filter, next);
  return first_set && Words::AllSet(filter, next) &&
         (filter.num_probes() <= kTested ||
          filter.MayContainAfter(kTested, hash));
}

// ---- A few keys ----

// Looks up fewer keys than kMinBatch. Prefetches the cache lines of kFirst +
// kProbesInVector probes of all keys before it tests the first key.
void TestFew(const FilterView& view, const Hash128* hashes, size_t n,
             bool* may_contain) {
  // This copy saves time: with -fno-strict-aliasing, the compiler would read
  // `view` again after each write to `may_contain`.
  const FilterView filter = view;
  assert(n < LaneKernel<Avx512>::kMinBatch);
  struct {
    uint64_t first[kFirst];
    Positions next;
  } keys[LaneKernel<Avx512>::kMinBatch];
  for (size_t i = 0; i < n; ++i) {
    ProbeSequence probes(hashes[i], filter.capacity_bits());
    for (int probe = 0; probe < kFirst; ++probe) {
      keys[i].first[probe] = probes.Next();
      filter.Prefetch(keys[i].first[probe]);
    }
    keys[i].next = PositionsOf(filter, hashes[i], kFirst);
    Prefetch(filter, keys[i].next);
  }
  for (size_t i = 0; i < n; ++i) {
    unsigned set = 1;
    for (int probe = 0; probe < kFirst; ++probe) {
      set &= filter.BitAt(keys[i].first[probe]);
    }
    may_contain[i] = set != 0 && Words::AllSet(filter, keys[i].next);
  }
  constexpr int kTested = kFirst + kProbesInVector;
  if (filter.num_probes() > kTested) {
    for (size_t i = 0; i < n; ++i) {
      may_contain[i] =
          may_contain[i] && filter.MayContainAfter(kTested, hashes[i]);
    }
  }
}

Lookup ChooseLookup(const FilterView& filter) {
  if (filter.num_words() < kMinSmallReciprocalDivisor ||
      filter.num_probes() < kFirst) {
    return kPortableKernel.choose_lookup(filter);
  }
  return {MayContainInSteps, LaneKernel<Avx512>::ChooseBatch<TestFew>(filter)};
}

constexpr Kernel kKernel = LaneKernel<Avx512>::AsKernel("avx512", ChooseLookup);

}  // namespace

}  // namespace cassandra_bloom

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC diagnostic pop
#pragma GCC pop_options
#endif

namespace cassandra_bloom {

namespace {

bool Runs() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("bmi2");
}

}  // namespace

const Kernel* Avx512Kernel() { return Runs() ? &kKernel : nullptr; }

bool IsAvx512Cheap() {
  return __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512bf16");
}

}  // namespace cassandra_bloom

#else

namespace cassandra_bloom {

const Kernel* Avx512Kernel() { return nullptr; }

bool IsAvx512Cheap() { return false; }

}  // namespace cassandra_bloom

#endif
