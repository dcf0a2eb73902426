// SPDX-License-Identifier: Apache-2.0

// Compares each kernel (an implementation of the filter for certain CPUs) with
// NaiveFilter. Kernels that this machine cannot run are left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/hash_list.h"
#include "plugin/filter/kernels/dispatch.h"
#include "tests/filter/kernel_checks.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

namespace cassandra_bloom::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(All, KernelTest, ::testing::ValuesIn(Kernels()),
                         NameOf);

// Cassandra's own code computed the expected hashes.
TEST_P(KernelTest, HashesAsCassandraDoes) {
  std::vector<std::string> keys;
  std::vector<Hash128> expected;
  for (const auto& fields : ReadCassandraTable("hashes.tsv")) {
    keys.push_back(FromHex(fields.at(0)));
    expected.push_back({std::stoull(fields.at(1), nullptr, 16),
                        std::stoull(fields.at(2), nullptr, 16)});
  }
  ASSERT_EQ(keys.size(), 1040U);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<Hash128> hashes(keys.size());
  kernel().hash(views.data(), views.size(), hashes.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(hashes[i], expected[i]) << keys[i].size() << " bytes";
  }
}

TEST(KernelsTest, TheFirstIsActiveAndTheLastPortable) {
  ASSERT_FALSE(Kernels().empty());
  EXPECT_EQ(&ActiveKernel(), Kernels().front());
  EXPECT_STREQ(Kernels().back()->name, "portable");
  std::set<std::string> names;
  for (const Kernel* const kernel : Kernels()) {
    EXPECT_TRUE(names.insert(kernel->name).second) << kernel->name;
  }
}

// ---- Hashing ----

// More than four times the number of keys that any kernel hashes at once.
constexpr size_t kMaxKeys = 70;
constexpr size_t kMaxLength = 300;

std::string RandomKey(size_t length, uint64_t* random) {
  std::string key(length, '\0');
  for (char& byte : key) {
    byte = static_cast<char>(NextRandom(random));
  }
  return key;
}

// Hashes the first n keys. An access beyond the arrays ends the test.
class HashCheck {
 public:
  HashCheck(const Kernel& kernel, const std::vector<std::string_view>& keys)
      : kernel_(kernel), keys_(keys) {
    for (const std::string_view key : keys) {
      expected_.push_back(NaiveHash(key));
    }
  }

  ::testing::AssertionResult operator()(size_t n) const {
    auto* const keys = view_memory_.Last<std::string_view>(n);
    std::copy_n(keys_.data(), n, keys);
    auto* const hashes = hash_memory_.Last<Hash128>(n);
    std::fill_n(hashes, n, Hash128{1, 2});
    kernel_.hash(keys, n, hashes);
    for (size_t i = 0; i < n; ++i) {
      if (hashes[i] != expected_[i]) {
        return ::testing::AssertionFailure()
               << "key " << i << " of " << n << ", " << keys[i].size()
               << " bytes: " << ToString(hashes[i]);
      }
    }
    return ::testing::AssertionSuccess();
  }

 private:
  const Kernel& kernel_;
  const std::vector<std::string_view> keys_;
  std::vector<Hash128> expected_;
  const GuardedMemory view_memory_{kMaxKeys * sizeof(std::string_view)};
  const GuardedMemory hash_memory_{kMaxKeys * sizeof(Hash128)};
};

TEST_P(KernelTest, HashesKeysOfMixedLengths) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  constexpr size_t kRuns[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 40};
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> keys;
    while (keys.size() < kMaxKeys) {
      const size_t length =
          NextRandom(&random) % 2 == 0
              ? size_t{1} << NextRandom(&random) % 9
              : NextRandom(&random) % (round % 2 == 0 ? 20 : kMaxLength + 1);
      size_t run = kRuns[NextRandom(&random) % std::size(kRuns)];
      for (; run > 0 && keys.size() < kMaxKeys; --run) {
        keys.push_back(RandomKey(length, &random));
      }
    }
    const HashCheck check(kernel(), {keys.begin(), keys.end()});
    for (size_t n = 0; n <= kMaxKeys; n += 1 + NextRandom(&random) % 7) {
      ASSERT_TRUE(check(n));
    }
  }
}

TEST_P(KernelTest, HashesAllTailSigns) {
  for (size_t length = 1; length <= 15; ++length) {
    std::vector<std::string> keys;
    for (uint32_t signs = 0; signs < (1u << length); ++signs) {
      std::string key(length, '\x2a');
      for (size_t i = 0; i < length; ++i) {
        key[i] = (signs >> i & 1) != 0 ? '\xaa' : '\x2a';
      }
      keys.push_back(key);
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::vector<Hash128> hashes(keys.size());
    kernel().hash(views.data(), views.size(), hashes.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(hashes[i], NaiveHash(keys[i])) << length << " " << i;
    }
  }
}

// Inaccessible memory lies directly before or after each key. At the end, keys
// begin at any address.
TEST_P(KernelTest, HashesKeysOfEqualLengthAndReadsNothingBesides) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  std::deque<GuardedMemory> memory;
  for (size_t i = 0; i < kMaxKeys; ++i) {
    memory.emplace_back(kMaxLength);
  }
  for (size_t length = 0; length <= kMaxLength; ++length) {
    for (const bool at_end : {false, true}) {
      std::vector<std::string_view> keys;
      for (const GuardedMemory& pages : memory) {
        char* const at = at_end ? pages.end() - length : pages.begin();
        const std::string key = RandomKey(length, &random);
        std::copy(key.begin(), key.end(), at);
        keys.emplace_back(at, length);
      }
      const HashCheck check(kernel(), keys);
      for (size_t n = 0; n <= kMaxKeys; ++n) {
        ASSERT_TRUE(check(n));
      }
      EXPECT_EQ(CassandraMurmur3(keys[0].data(), length), NaiveHash(keys[0]));
    }
  }
}

TEST_P(KernelTest, TakesNullForTheEmptyKey) {
  const HashCheck check(kernel(), std::vector<std::string_view>(kMaxKeys));
  for (size_t n = 0; n <= kMaxKeys; ++n) {
    ASSERT_TRUE(check(n));
  }
}

// ---- Answers ----

// Vector kernels compute several remainders at once only in filters of 256
// words or more. In smaller filters, some of these remainders would be wrong.
constexpr uint32_t kWordCounts[] = {1,   2,   3,   5,   7,   63,   64,  65,
                                    129, 151, 199, 254, 255, 256,  257, 258,
                                    300, 511, 512, 513, 999, 1023, 4099};
constexpr uint32_t kMostWords = 4099;

std::vector<Hash128> RandomHashes(size_t n, uint64_t* random) {
  std::vector<Hash128> hashes(n);
  for (Hash128& hash : hashes) {
    hash = RandomHash(random);
  }
  return hashes;
}

std::string RandomBits(uint32_t num_words, uint64_t percent_set,
                       uint64_t* random) {
  std::string bits(size_t{8} * num_words, '\0');
  for (uint64_t position = 0; position < 8 * bits.size(); ++position) {
    if (NextRandom(random) % 100 < percent_set) {
      Set(bits.data(), position);
    }
  }
  return bits;
}

// The more bits are set, the more probes the kernel needs for an answer.
TEST_P(KernelTest, AnswersForAnyBits) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  const GuardedMemory hash_memory(kMaxBatch * sizeof(Hash128));
  const GuardedMemory memory(kMostWords * 8 + 64);
  for (const uint32_t num_words : kWordCounts) {
    for (const uint64_t percent_set : {0u, 50u, 90u, 98u, 100u}) {
      const std::string bits = RandomBits(num_words, percent_set, &random);
      for (int num_probes = 1; num_probes <= kMaxReadableProbes; ++num_probes) {
        // The filter ends 0 to 63 bytes before the end of the memory.
        char* const at =
            memory.end() - bits.size() - (num_probes % 2 == 0 ? 0 : num_probes);
        std::copy(bits.begin(), bits.end(), at);
        const auto hashes = RandomHashes(kMaxBatch, &random);
        for (size_t n = 0; n <= kMaxBatch; ++n) {
          // A read beyond the hashes ends the test.
          auto* const asked = hash_memory.Last<Hash128>(n);
          std::copy_n(hashes.data(), n, asked);
          ASSERT_TRUE(Answers(kernel(), num_probes, num_words, at, asked, n));
        }
      }
    }
  }
}

// Only one bit is not set. This bit belongs to one probe of one key.
TEST_P(KernelTest, AnswersByEveryProbe) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  for (const uint32_t num_words : {3u, 255u, 256u, 1000u}) {
    std::string bits(size_t{8} * num_words, '\xff');
    for (int num_probes = 1; num_probes <= kMaxReadableProbes; ++num_probes) {
      const FilterView filter = ViewOf(num_probes, num_words, bits.data());
      const auto hashes = RandomHashes(kMaxBatch, &random);
      for (int probe = 0; probe < num_probes; ++probe) {
        const size_t key = NextRandom(&random) % kMaxBatch;
        const uint64_t position =
            PlainPosition(hashes[key].h1, hashes[key].h2, probe, num_words);
        Clear(bits.data(), position);
        EXPECT_FALSE(kernel().choose_lookup(filter).one(filter, hashes[key]));
        const size_t few = std::min(key, kMaxBatch - kFewKeys);
        ASSERT_TRUE(Answers(kernel(), num_probes, num_words, bits.data(),
                            hashes.data(), kMaxBatch))
            << "probe " << probe;
        ASSERT_TRUE(Answers(kernel(), num_probes, num_words, bits.data(),
                            hashes.data() + few, kFewKeys))
            << "probe " << probe;
        Set(bits.data(), position);
      }
    }
  }
}

// ---- Bits ----

// Checks that all bits of the hashes are set, and clears them.
::testing::AssertionResult TakeBits(const std::vector<Hash128>& hashes,
                                    int num_probes, uint32_t num_words,
                                    char* bits) {
  for (const Hash128 hash : hashes) {
    if (!PlainBitsMayContain(hash.h1, hash.h2, num_probes, num_words, bits)) {
      return ::testing::AssertionFailure()
             << "bits of " << ToString(hash) << " not set, " << num_probes
             << " probes, " << hashes.size() << " keys";
    }
  }
  for (const Hash128 hash : hashes) {
    for (int probe = 0; probe < num_probes; ++probe) {
      Clear(bits, PlainPosition(hash.h1, hash.h2, probe, num_words));
    }
  }
  return ::testing::AssertionSuccess();
}

// Calls kernel.set_bits. A read beyond the hashes ends the test.
void SetBits(const Kernel& kernel, const std::vector<Hash128>& hashes,
             int num_probes, uint32_t num_words, char* bits) {
  const GuardedMemory memory(hashes.size() * sizeof(Hash128) + 1);
  auto* const at = memory.Last<Hash128>(hashes.size());
  std::copy(hashes.begin(), hashes.end(), at);
  kernel.set_bits(at, hashes.size(), num_probes,
                  InvariantRemainder(uint64_t{64} * num_words), bits);
}

// In filters of at most 4 MiB, vector kernels set bits without prefetching. In
// larger filters, they prefetch.
constexpr uint32_t kMostCachedWords = (4 << 20) / 8;
constexpr uint32_t kFewestFarWords = kMostCachedWords + 1;

TEST_P(KernelTest, SetsBitsOfAnyNumberOfKeys) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  std::vector<size_t> counts = {1000, 4095, 10007};
  for (size_t n = 0; n <= 100; ++n) {
    counts.push_back(n);
  }
  for (const uint32_t num_words :
       {1u, 255u, 256u, 1000u, 4099u, kMostCachedWords, kFewestFarWords,
        600001u}) {
    SCOPED_TRACE(num_words);
    const GuardedMemory memory(size_t{8} * num_words);
    char* const bits = memory.end() - size_t{8} * num_words;
    for (int num_probes = 1; num_probes <= kMaxReadableProbes; ++num_probes) {
      for (const size_t n : counts) {
        const std::vector<Hash128> hashes = RandomHashes(n, &random);
        SetBits(kernel(), hashes, num_probes, num_words, bits);
        ASSERT_TRUE(TakeBits(hashes, num_probes, num_words, bits));
      }
      ASSERT_TRUE(memory.IsAllZero()) << num_probes;
    }
  }
}

TEST_P(KernelTest, LeavesTheBitsThatAreSet) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  for (const uint32_t num_words : kWordCounts) {
    for (const int num_probes : {1, 7, 20, 21}) {
      const std::vector<Hash128> hashes = RandomHashes(45, &random);
      const size_t shift = NextRandom(&random) % 64;
      // The filter lies between bytes that must not change.
      std::string kept = RandomBits(num_words + 20, 50, &random);
      std::string expected = kept;
      for (const Hash128 hash : hashes) {
        AddToPlainBits(hash.h1, hash.h2, num_probes, num_words,
                       expected.data() + shift);
      }
      SetBits(kernel(), hashes, num_probes, num_words, kept.data() + shift);
      ASSERT_EQ(kept, expected) << num_words << " " << num_probes;
    }
  }
}

// Makes `kernel` the active kernel while this object exists.
class Forced {
 public:
  explicit Forced(const Kernel& kernel) { ForceKernel(kernel); }
  ~Forced() { ForceKernel(*Kernels().front()); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

TEST_P(KernelTest, FiltersEqualTheReferenceWhenForced) {
  SCOPED_TRACE(Seed());
  const Forced forced(kernel());
  ASSERT_EQ(&ActiveKernel(), &kernel());
  const RandomKeys keys(Seed(), 40);
  for (int num_probes = 1; num_probes <= kMaxReadableProbes; ++num_probes) {
    SCOPED_TRACE(num_probes);
    // Up to 10500, which are several chunks of the list.
    const auto num_keys = static_cast<uint32_t>(500 * num_probes);
    const uint32_t num_words = num_keys / 5;
    NaiveFilter naive(num_probes, num_words);
    HashList hashes;
    for (uint32_t i = 0; i < num_keys; ++i) {
      naive.Add(keys[i]);
      ASSERT_TRUE(hashes.Add(NaiveHash(keys[i])));
    }
    std::string file(FilterDbSize(num_words), '\0');
    BuildFilterDb(hashes, num_probes, num_words, file.data());
    ASSERT_EQ(file, naive.Serialize());

    ParsedFilter filter;
    ASSERT_TRUE(ParseFilterDb(file.data(), file.size(), &filter));
    const FilterView view(filter);
    for (uint32_t i = 0; i < 3 * num_keys; ++i) {
      ASSERT_EQ(view.MayContain(NaiveHash(keys[i])), naive.MayContain(keys[i]))
          << i;
    }
  }
}

// ---- Edge cases, in each floating-point mode that a program may have set ----

class FloatingPointMode {
 public:
  FloatingPointMode(int rounding, bool flush_to_zero) {
    std::fegetenv(&before_);
    std::fesetround(rounding);
#if defined(__x86_64__)
    constexpr unsigned kFlushAndDenormalsAreZero = 0x8040;
    if (flush_to_zero) {
      _mm_setcsr(_mm_getcsr() | kFlushAndDenormalsAreZero);
    }
#else
    static_cast<void>(flush_to_zero);
#endif
  }
  ~FloatingPointMode() { std::fesetenv(&before_); }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
  std::fenv_t before_;
};

constexpr int kRoundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                              FE_TOWARDZERO};

// Tests each hash in a filter that has no other hash.
void CheckLoneKeys(const Kernel& kernel, uint32_t num_words, int num_probes,
                   const GuardedMemory& memory, uint64_t* random) {
  char* const bits = memory.end() - size_t{8} * num_words;
  for (const Hash128 hash : EdgeHashes(num_words, 100, random)) {
    ASSERT_TRUE(AnswersLoneKey(kernel, num_probes, num_words, bits, hash));
  }
}

TEST_P(KernelTest, EdgesOfSmallFilters) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  const GuardedMemory memory(size_t{8} * kMostWords);
  for (const int rounding : kRoundings) {
    for (const bool flush_to_zero : {false, true}) {
      const FloatingPointMode mode(rounding, flush_to_zero);
      ASSERT_EQ(std::fegetround(), rounding);
      SCOPED_TRACE(rounding);
      const bool is_usual = rounding == FE_TONEAREST && !flush_to_zero;
      for (const uint32_t num_words : kWordCounts) {
        for (const int num_probes :
             is_usual ? std::vector{1, 2, 3, 4, 7, 8, 11, 12, 20, 21, 64}
                      : std::vector{1, 8, 20}) {
          ASSERT_NO_FATAL_FAILURE(
              CheckLoneKeys(kernel(), num_words, num_probes, memory, &random));
        }
        ASSERT_TRUE(memory.IsAllZero()) << num_words;
      }
      const std::string key = RandomKey(37, &random);
      const HashCheck check(kernel(),
                            std::vector<std::string_view>(kMaxKeys, key));
      ASSERT_TRUE(check(kMaxKeys));
    }
  }
}

// Filters of about 2^31, 2^32, 2^35, 2^36 and 2^37 bits.
constexpr uint32_t kLargeWordCounts[] = {
    (1u << 25) - 1, 1u << 25,       (1u << 25) + 1,      (1u << 26) - 1,
    1u << 26,       (1u << 26) + 1, (1u << 29) - 1,      1u << 29,
    (1u << 29) + 1, 1u << 30,       kMaxFilterWords - 1, kMaxFilterWords};

// Tests all these hashes in one filter.
void CheckManyKeys(const Kernel& kernel, uint32_t num_words,
                   const GuardedMemory& memory, uint64_t* random) {
  constexpr int kNumProbes = 7;
  char* const bits = memory.end() - size_t{8} * num_words;
  const std::vector<Hash128> hashes = EdgeHashes(num_words, 2000, random);
  SetBits(kernel, hashes, kNumProbes, num_words, bits);
  for (size_t i = 0; i + kMaxBatch <= hashes.size(); i += kMaxBatch) {
    std::array<Hash128, kMaxBatch> asked;
    for (size_t j = 0; j < kMaxBatch; ++j) {
      asked[j] = j % 2 == 0 ? hashes[i + j] : RandomHash(random);
    }
    ASSERT_TRUE(
        Answers(kernel, kNumProbes, num_words, bits, asked.data(), kMaxBatch));
  }
  ASSERT_TRUE(TakeBits(hashes, kNumProbes, num_words, bits));
}

TEST_P(KernelTest, EdgesOfLargeFilters) {
  SCOPED_TRACE(Seed());
  uint64_t random = Seed();
  GuardedMemory memory(uint64_t{8} * kMaxFilterWords);
  for (const int rounding : kRoundings) {
    const bool is_usual = rounding == FE_TONEAREST;
    const FloatingPointMode mode(rounding, /*flush_to_zero=*/!is_usual);
    SCOPED_TRACE(rounding);
    for (const uint32_t num_words : kLargeWordCounts) {
      SCOPED_TRACE(num_words);
      ASSERT_NO_FATAL_FAILURE(
          CheckLoneKeys(kernel(), num_words, 7, memory, &random));
      if (is_usual) {
        ASSERT_NO_FATAL_FAILURE(
            CheckLoneKeys(kernel(), num_words, 20, memory, &random));
        ASSERT_NO_FATAL_FAILURE(
            CheckManyKeys(kernel(), num_words, memory, &random));
      }
      ASSERT_TRUE(memory.IsAllZero());
      memory.Clear();
    }
  }
}

// ---- The state of the CPU ----

#if defined(__x86_64__)
// Returns true if the upper halves of vector registers are in use. A kernel
// must not leave them in use, because SSE code that runs later would be slow.
bool UpperHalvesAreInUse() {
  uint32_t low;
  uint32_t high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  constexpr uint32_t kAvx = 1 << 2;
  constexpr uint32_t kUpperHalvesOfZmm = 1 << 6;
  return (low & (kAvx | kUpperHalvesOfZmm)) != 0;
}

bool CanTellUpperHalves() {
  constexpr unsigned kXgetbvOfInUse = 1 << 2;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (!__builtin_cpu_supports("avx2") ||
      __get_cpuid_count(0xd, 1, &a, &b, &c, &d) == 0 ||
      (a & kXgetbvOfInUse) == 0) {
    return false;
  }
  __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
  const bool tells_use = UpperHalvesAreInUse();
  __asm__ volatile("vzeroupper");
  return tells_use && !UpperHalvesAreInUse();
}

using Eight [[gnu::vector_size(32)]] = uint32_t;

[[gnu::target("avx2"), gnu::noinline]] void SetAllBits(Eight* numbers) {
  Eight all;
  __asm__ volatile("vpcmpeqd %0, %0, %0" : "=x"(all));
  *numbers = all;
}

// GCC clears the upper halves of vector registers only with -O2 or more.
bool CompilerCleansUpperHalves() {
  Eight numbers = {};
  SetAllBits(&numbers);
  return !UpperHalvesAreInUse();
}

class UpperHalvesTest : public KernelTest {};

// There is no such test where nothing could be seen.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UpperHalvesTest);
INSTANTIATE_TEST_SUITE_P(
    All, UpperHalvesTest,
    ::testing::ValuesIn(CanTellUpperHalves() && CompilerCleansUpperHalves()
                            ? Kernels()
                            : std::vector<const Kernel*>()),
    NameOf);

TEST_P(UpperHalvesTest, AreNotLeftInUse) {
  constexpr size_t kKeys = 32;
  constexpr size_t kSizes[] = {3, 16, 40};
  for (const uint32_t num_words : {3u, 1000u}) {
    for (int num_probes = 1; num_probes <= 20; ++num_probes) {
      std::vector<char> bits(size_t{8} * num_words);
      for (const size_t size : kSizes) {
        const std::vector<std::string> keys(kKeys, std::string(size, 'k'));
        const std::vector<std::string_view> views(keys.begin(), keys.end());
        const FilterView filter = ViewOf(num_probes, num_words, bits.data());
        Hash128 hashes[kKeys];
        bool answers[kKeys];
        kernel().hash(views.data(), kKeys, hashes);
        EXPECT_FALSE(UpperHalvesAreInUse()) << "hash";
        for (const bool is_there : {false, true}) {
          const Lookup lookup = kernel().choose_lookup(filter);
          ASSERT_EQ(lookup.one(filter, hashes[0]), is_there);
          EXPECT_FALSE(UpperHalvesAreInUse()) << num_probes << " probes, one";
          for (const size_t n : {kFewKeys, kKeys}) {
            lookup.batch(filter, hashes, n, answers);
            EXPECT_FALSE(UpperHalvesAreInUse())
                << num_probes << " probes, " << n << " keys";
          }
          kernel().set_bits(hashes, kKeys, num_probes, filter.capacity_bits(),
                            bits.data());
          EXPECT_FALSE(UpperHalvesAreInUse()) << num_probes << " probes, set";
        }
        bits.assign(bits.size(), 0);
      }
    }
  }
}
#endif

}  // namespace
}  // namespace cassandra_bloom::testing
