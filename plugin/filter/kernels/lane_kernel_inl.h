// SPDX-License-Identifier: Apache-2.0

// A template for kernels that process several keys at once. In most functions,
// each lane of a vector belongs to a different key. TestNext instead computes
// several probes of one key in one vector. Vectors may have any width.
//
// Include this header only in the .cc file of a kernel, after the pragma that
// sets the target CPU. Code for one CPU must not be in a function that the
// linker may share between files, because the other files are for any CPU. So
// all functions here are members of a template whose argument is a type in an
// unnamed namespace. The kernel's file includes lane_kernel_includes.h before
// the pragma.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INL_H_

#include "plugin/filter/kernels/lane_kernel_includes.h"

namespace cassandra_bloom {

// The type `Cpu` has these members:
//   kLanes         number of 64-bit numbers in a vector
//   Lanes          the vector, with the operators of GCC's vector extension
//   kNumbers       the vector 0, 1, 2 ...
//   Product        the product of a vector and a constant
//   LoadColumns    loads the first and the second 64-bit number that each of
//                  kLanes pointers points to
//   StoreColumns   the reverse of LoadColumns, to consecutive memory
//   Divisor        made from num_words and SmallReciprocal(num_words);
//                  Remainder(x) is x mod num_words for x <= 2^57 and
//                  kMinSmallReciprocalDivisor <= num_words <= kMaxFilterWords
template <typename Cpu>
class LaneKernel {
 public:
  // The smallest number of keys that are processed with one key in each lane.
  // For fewer keys, other code is faster.
  static constexpr size_t kMinBatch = 2 * Cpu::kLanes;

  static constexpr Kernel AsKernel(const char* name,
                                   decltype(Kernel::choose_lookup) choose) {
    return {name, choose, Hash, SetBits};
  }

  // Returns the batch function for filters with as many words and probes as
  // `filter`. That function calls `few` if there are fewer than kMinBatch keys.
  // `few` is never called for filters of fewer than kMinSmallReciprocalDivisor
  // words or fewer than FilterView::kProbesAtOnce probes.
  template <MayContainBatchFunction few>
  static MayContainBatchFunction* ChooseBatch(const FilterView& filter) {
    if (filter.num_probes() < FilterView::kProbesAtOnce ||
        filter.num_words() < kMinSmallReciprocalDivisor) {
      return kPortableKernel.choose_lookup(filter).batch;
    }
    return filter.num_probes() <= kMaxProbesForTwoFirst
               ? MayContain<2, few>
               : MayContain<FilterView::kProbesAtOnce, few>;
  }

 private:
  using Lanes = typename Cpu::Lanes;
  using Divisor = typename Cpu::Divisor;

  struct Positions {
    [[gnu::always_inline]] inline Lanes AsNumbers() const {
      return word << 6 | bit;
    }

    Lanes word;
    Lanes bit;  // The number of the bit in the word, 0 to 63.
  };

  // Returns the position |x| mod (64 * words) of each lane: bit |x| mod 64 of
  // word (|x| / 64) mod words. This is a copy of the rule of
  // ProbeSequence::Next.
  [[gnu::always_inline]] static inline Positions PositionsOf(
      Lanes x, const Divisor& divisor) {
    const auto negative = reinterpret_cast<Lanes>(x >> 63 != 0);
    const Lanes magnitude = (x ^ negative) - negative;
    return {divisor.Remainder(magnitude >> 6), magnitude & 63};
  }

  class Probes {
   public:
    Probes(Lanes base, Lanes increment, const Divisor& divisor)
        : next_(base), increment_(increment), divisor_(divisor) {}

    [[gnu::always_inline]] inline Positions Next() {
      const Lanes x = next_;
      next_ += increment_;
      return PositionsOf(x, divisor_);
    }

   private:
    Lanes next_;
    const Lanes increment_;
    const Divisor& divisor_;
  };

  static constexpr size_t kLanes = Cpu::kLanes;
  // The number of vectors that are processed in turn. With so many, no
  // operation waits for the result of the previous operation on the same
  // vector.
  static constexpr size_t kVectorsAtOnce = 16 / kLanes;
  // The largest filter, in bits, in which bits are set without prefetching.
  static constexpr uint64_t kMaxUnfetchedBits = uint64_t{8} * (4 << 20);
  // In filters with at most this many probes (k), a batch first tests two
  // probes of each key. In other filters it first tests three. With two, an
  // absent key needs fewer cache lines on average, if half of the bits are set
  // and k is above 3: (k - 2) / 4 + 2 instead of (k - 3) / 8 + 3. Up to this
  // limit, the remaining probes fit into one vector.
  static constexpr int kMaxProbesForTwoFirst = kLanes < 6 ? 2 + kLanes : 8;

  static void Hash(const std::string_view* keys, size_t n, Hash128* hashes) {
    if (n < kMinBatch) {
      kPortableKernel.hash(keys, n, hashes);
      return;
    }
    size_t done = 0;
    for (size_t i = 0; i < n; i += done) {
      done = std::min(n - i, kLanes);
      if (!HaveSameSize<kLanes>(keys + i, n - i)) {
        kPortableKernel.hash(keys + i, done, hashes + i);
      } else if (!HaveSameSize<kVectorsAtOnce * kLanes>(keys + i, n - i)) {
        HashVectors<1>(keys + i, hashes + i);
      } else {
        done = kVectorsAtOnce * kLanes;
        HashVectors<kVectorsAtOnce>(keys + i, hashes + i);
      }
    }
  }

  template <int kFirst, MayContainBatchFunction few>
  static void MayContain(const FilterView& filter, const Hash128* hashes,
                         size_t n, bool* may_contain) {
    assert(n <= kMaxBatch);
    if (n < kMinBatch) {
      few(filter, hashes, n, may_contain);
    } else {
      TestBatch<kFirst>(filter, hashes, n, may_contain);
    }
  }

  static void SetBits(const Hash128* hashes, size_t n, int num_probes,
                      const InvariantRemainder& capacity_bits, char* bits) {
    const uint64_t num_words = capacity_bits.divisor() / 64;
    const size_t in_vectors =
        num_words >= kMinSmallReciprocalDivisor && num_probes <= kMaxProbes
            ? n - n % kLanes
            : 0;
    const Divisor divisor(num_words, SmallReciprocal(num_words));
    if (capacity_bits.divisor() <= kMaxUnfetchedBits) {
      SetInBlocks<1, false>(hashes, in_vectors, num_probes, divisor, bits);
    } else {
      SetInBlocks<kVectorsAtOnce, true>(hashes, in_vectors, num_probes, divisor,
                                        bits);
    }
    kPortableKernel.set_bits(hashes + in_vectors, n - in_vectors, num_probes,
                             capacity_bits, bits);
  }

  // Calls work(0) ... work(kCount - 1), unrolled, so that each argument is a
  // constant.
  template <size_t kCount, typename Work>
  [[gnu::always_inline]] static inline void Repeat(Work work) {
    RepeatFor(work, std::make_index_sequence<kCount>());
  }
  template <typename Work, size_t... kIndex>
  [[gnu::always_inline]] static inline void RepeatFor(
      Work work, std::index_sequence<kIndex...>) {
    (work(kIndex), ...);
  }

  // ---- Hashing: each step of CassandraMurmur3 for all vectors ----

  template <size_t kCount>
  static bool HaveSameSize(const std::string_view* keys, size_t n) {
    if (n < kCount) {
      return false;
    }
    size_t differences = 0;
    for (size_t i = 1; i < kCount; ++i) {
      differences |= keys[i].size() ^ keys[0].size();
    }
    return differences == 0;
  }

  template <size_t kVectors>
  static void HashVectors(const std::string_view* keys, Hash128* hashes) {
    using namespace murmur3_internal;
    const size_t size = keys[0].size();
    size_t done = 0;
    Lanes h1[kVectors] = {};
    Lanes h2[kVectors] = {};
    Lanes k1[kVectors];
    Lanes k2[kVectors];
    for (; size - done >= 16; done += 16) {
      Repeat<kVectors>([&](size_t v) {
        const std::string_view* const keys_of_v = keys + v * kLanes;
        Cpu::LoadColumns([&](size_t i) { return keys_of_v[i].data() + done; },
                         &k1[v], &k2[v]);
      });
      Mix(k1, k2);
      Repeat<kVectors>([&](size_t v) {
        h1[v] = (Rotated<27>(h1[v] ^ k1[v]) + h2[v]) * 5 + kAfterBlock1;
      });
      Repeat<kVectors>([&](size_t v) {
        h2[v] = (Rotated<31>(h2[v] ^ k2[v]) + h1[v]) * 5 + kAfterBlock2;
      });
    }
    if (size % 16 != 0) {
      Repeat<kVectors>([&](size_t v) {
        LoadTails(keys + v * kLanes, done, &k1[v], &k2[v]);
      });
      Mix(k1, k2);
      Repeat<kVectors>([&](size_t v) { h1[v] ^= k1[v]; });
      Repeat<kVectors>([&](size_t v) { h2[v] ^= k2[v]; });
    }
    Repeat<kVectors>([&](size_t v) { h1[v] ^= size; });
    Repeat<kVectors>([&](size_t v) { h2[v] ^= size; });
    AddToEachOther(h1, h2);
    Finalize(h1, h2);
    AddToEachOther(h1, h2);
    Repeat<kVectors>([&](size_t v) {
      Cpu::StoreColumns(h1[v], h2[v], hashes + v * kLanes);
    });
  }

  template <int kBits>
  [[gnu::always_inline]] static inline Lanes Rotated(Lanes x) {
    return (x << kBits) | (x >> (64 - kBits));
  }

  template <size_t kVectors>
  [[gnu::always_inline]] static inline void Mix(Lanes (&k1)[kVectors],
                                                Lanes (&k2)[kVectors]) {
    using namespace murmur3_internal;
    Repeat<kVectors>([&](size_t v) { k1[v] = Cpu::Product(k1[v], kC1); });
    Repeat<kVectors>([&](size_t v) { k2[v] = Cpu::Product(k2[v], kC2); });
    Repeat<kVectors>(
        [&](size_t v) { k1[v] = Cpu::Product(Rotated<31>(k1[v]), kC2); });
    Repeat<kVectors>(
        [&](size_t v) { k2[v] = Cpu::Product(Rotated<33>(k2[v]), kC1); });
  }

  template <size_t kVectors>
  [[gnu::always_inline]] static inline void AddToEachOther(
      Lanes (&h1)[kVectors], Lanes (&h2)[kVectors]) {
    Repeat<kVectors>([&](size_t v) { h1[v] += h2[v]; });
    Repeat<kVectors>([&](size_t v) { h2[v] += h1[v]; });
  }

  template <size_t kVectors>
  [[gnu::always_inline]] static inline void Finalize(Lanes (&h1)[kVectors],
                                                     Lanes (&h2)[kVectors]) {
    using namespace murmur3_internal;
    for (const uint64_t factor : kFinalFactors) {
      Repeat<kVectors>([&](size_t v) { h1[v] ^= h1[v] >> 33; });
      Repeat<kVectors>([&](size_t v) { h2[v] ^= h2[v] >> 33; });
      Repeat<kVectors>([&](size_t v) { h1[v] = Cpu::Product(h1[v], factor); });
      Repeat<kVectors>([&](size_t v) { h2[v] = Cpu::Product(h2[v], factor); });
    }
    Repeat<kVectors>([&](size_t v) { h1[v] ^= h1[v] >> 33; });
    Repeat<kVectors>([&](size_t v) { h2[v] ^= h2[v] >> 33; });
  }

  // Loads k1 and k2 from the last 1 to 15 bytes of each key, from `offset` on.
  static void LoadTails(const std::string_view* keys, size_t offset, Lanes* k1,
                        Lanes* k2) {
    using namespace murmur3_internal;
    const size_t size = keys[0].size() - offset;
    const size_t first_size = std::min<size_t>(size, 8);
    uint64_t first[kLanes];
    uint64_t second[kLanes] = {};
    for (size_t i = 0; i < kLanes; ++i) {
      const char* const tail = keys[i].data() + offset;
      first[i] = XorOfSignExtendedBytes(LoadLittleEndianTail(tail, first_size));
      if (size > 8) {
        second[i] =
            XorOfSignExtendedBytes(LoadLittleEndianTail(tail + 8, size - 8));
      }
    }
    std::memcpy(k1, first, sizeof(first));
    std::memcpy(k2, second, sizeof(second));
  }

  // ---- Probes ----

  [[gnu::always_inline]] static inline void Store(Lanes lanes, uint64_t* out) {
    std::memcpy(out, &lanes, sizeof(lanes));
  }

  [[gnu::always_inline]] static inline Probes ProbesOf(const Hash128* hashes,
                                                       const Divisor& divisor) {
    Lanes h1;
    Lanes h2;
    Cpu::LoadColumns([&](size_t i) { return hashes + i; }, &h1, &h2);
    return Probes(h2, h1, divisor);
  }

  // ---- Queries ----

  [[gnu::always_inline]] static inline void Prefetch(const FilterView& filter,
                                                     const uint64_t* positions,
                                                     size_t count) {
    for (size_t i = 0; i < count; ++i) {
      filter.Prefetch(positions[i]);
    }
  }

  // Tests the first kFirst probes of all keys, then the next kLanes probes of
  // the keys that have passed, and so on. Each stage prefetches the cache lines
  // of all its keys before it tests a bit. No branch in a stage depends on a
  // bit.
  template <int kFirst>
  static void TestBatch(const FilterView filter, const Hash128* hashes,
                        size_t n, bool* may_contain) {
    const Divisor divisor(filter.num_words(), filter.words_reciprocal());
    alignas(Lanes) uint64_t positions[kFirst][kMaxBatch];
    for (size_t i = 0; i < n; i += kLanes) {
      // If n is not a multiple of kLanes, the last vector overlaps the one
      // before it.
      const size_t begin = std::min(i, n - kLanes);
      Probes probes = ProbesOf(hashes + begin, divisor);
      for (int probe = 0; probe < kFirst; ++probe) {
        uint64_t* const column = &positions[probe][begin];
        Store(probes.Next().AsNumbers(), column);
        Prefetch(filter, column, kLanes);
      }
    }
    uint8_t passed[kMaxBatch];
    size_t num_passed = 0;
    const auto test = [&](size_t i) {
      unsigned set = 1;
      for (int probe = 0; probe < kFirst; ++probe) {
        set &= filter.BitAt(positions[probe][i]);
      }
      may_contain[i] = false;
      passed[num_passed] = static_cast<uint8_t>(i);
      num_passed += set;
    };
    size_t i = 0;
    for (; n - i >= kLanes; i += kLanes) {
      Repeat<kLanes>([&](size_t lane) { test(i + lane); });
    }
    for (; i < n; ++i) {
      test(i);
    }
    TestRest(filter, divisor, hashes, kFirst, passed, num_passed, may_contain);
  }

  static void TestRest(const FilterView& filter, const Divisor& divisor,
                       const Hash128* hashes, int tested, uint8_t* passed,
                       size_t num_passed, bool* may_contain) {
    for (;;) {
      TestNext(filter, divisor, hashes, tested, passed, num_passed,
               may_contain);
      tested += static_cast<int>(kLanes);
      if (tested >= filter.num_probes()) {
        return;
      }
      size_t num_left = 0;
      for (size_t i = 0; i < num_passed; ++i) {
        const uint8_t key = passed[i];
        passed[num_left] = key;
        num_left += may_contain[key] ? 1 : 0;
      }
      if (num_left == 0) {
        return;
      }
      num_passed = num_left;
    }
  }

  static void TestNext(const FilterView& filter, const Divisor& divisor,
                       const Hash128* hashes, int first, const uint8_t* passed,
                       size_t num_passed, bool* may_contain) {
    assert(first < filter.num_probes());
    const size_t count =
        std::min(kLanes, static_cast<size_t>(filter.num_probes() - first));
    const Lanes steps = Cpu::kNumbers + static_cast<uint64_t>(first);
    alignas(Lanes) uint64_t positions[kMaxBatch][kLanes];
    for (size_t i = 0; i < num_passed; ++i) {
      const Hash128 hash = hashes[passed[i]];
      Store(PositionsOf(hash.h2 + hash.h1 * steps, divisor).AsNumbers(),
            positions[i]);
      Prefetch(filter, positions[i], count);
    }
    for (size_t i = 0; i < num_passed; ++i) {
      unsigned set = 1;
      for (size_t probe = 0; probe < count; ++probe) {
        set &= filter.BitAt(positions[i][probe]);
      }
      may_contain[passed[i]] = set != 0;
    }
  }

  // ---- Building ----

  template <size_t kVectors>
  class PositionBlock {
   public:
    void Compute(const Hash128* hashes, int num_probes,
                 const Divisor& divisor) {
      size_t size = 0;
      for (size_t v = 0; v < kVectors; ++v) {
        Probes probes = ProbesOf(hashes + v * kLanes, divisor);
        for (int probe = 0; probe < num_probes; ++probe) {
          const Positions positions = probes.Next();
          Store(positions.word, words_ + size);
          Store((Lanes{} + 1) << positions.bit, masks_ + size);
          size += kLanes;
        }
      }
      size_ = size;
    }

    void Prefetch(const char* bits) const {
      for (size_t i = 0; i < size_; ++i) {
        __builtin_prefetch(bits + words_[i] * 8, /*rw=*/1);
      }
    }

    void Set(char* bits) const {
      for (size_t i = 0; i < size_; ++i) {
        char* const word = bits + words_[i] * 8;
        StoreLittleEndian64(LoadLittleEndian64(word) | masks_[i], word);
      }
    }

   private:
    static constexpr size_t kCapacity = kVectors * kLanes * kMaxProbes;

    size_t size_ = 0;
    uint64_t words_[kCapacity];
    uint64_t masks_[kCapacity];
  };

  // Computes the positions of one block of keys and, if kPrefetch, prefetches
  // its cache lines. Then sets the bits of the block before it, whose cache
  // lines have arrived in the meantime. `n` must be a multiple of kLanes.
  template <size_t kVectors, bool kPrefetch>
  static void SetInBlocks(const Hash128* hashes, size_t n, int num_probes,
                          const Divisor& divisor, char* bits) {
    PositionBlock<kVectors> blocks[2];
    size_t current = 0;
    for (; n >= kVectors * kLanes; n -= kVectors * kLanes) {
      blocks[current].Compute(hashes, num_probes, divisor);
      if constexpr (kPrefetch) {
        blocks[current].Prefetch(bits);
      }
      current = 1 - current;
      blocks[current].Set(bits);
      hashes += kVectors * kLanes;
    }
    blocks[1 - current].Set(bits);
    if constexpr (kVectors > 1) {
      SetInBlocks<1, false>(hashes, n, num_probes, divisor, bits);
    }
  }
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INL_H_
