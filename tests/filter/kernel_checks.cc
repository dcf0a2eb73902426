// SPDX-License-Identifier: Apache-2.0

#include "tests/filter/kernel_checks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "plugin/filter/filter_db_layout.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom {

void PrintTo(const Kernel* kernel, std::ostream* out) { *out << kernel->name; }

}  // namespace cassandra_bloom

namespace cassandra_bloom::testing {
namespace {

size_t PageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void Require(int result, const std::string& call) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), call);
  }
}

bool IsZeroPage(const char* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, PageSize() - 1) == 0;
}

std::vector<uint64_t> EdgeNumbers(uint64_t capacity_bits, uint64_t* random) {
  constexpr uint64_t kLargest = uint64_t{1} << 63;  // |INT64_MIN|
  const uint64_t some_multiple =
      NextRandom(random) / 2 / capacity_bits * capacity_bits;
  const uint64_t largest_multiple = kLargest / capacity_bits * capacity_bits;
  std::vector<uint64_t> numbers;
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1} << 32, uint64_t{1} << 38, uint64_t{1} << 52,
        uint64_t{1} << 53, uint64_t{1} << 58, uint64_t{1} << 59, kLargest,
        capacity_bits, some_multiple, largest_multiple,
        largest_multiple - capacity_bits}) {
    for (const int offset : {-64, -1, 0, 1, 63, 64}) {
      const uint64_t near = number + static_cast<uint64_t>(int64_t{offset});
      numbers.push_back(near);
      numbers.push_back(0 - near);
    }
  }
  return numbers;
}

}  // namespace

std::string NameOf(const ::testing::TestParamInfo<const Kernel*>& test) {
  return test.param->name;
}

GuardedMemory::GuardedMemory(uint64_t size)
    : size_((static_cast<size_t>(size) + PageSize() - 1) / PageSize() *
            PageSize()) {
  void* const mapped =
      mmap(nullptr, size_ + 2 * PageSize(), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  Require(mapped == MAP_FAILED, "cannot reserve " + std::to_string(size_) +
                                    " bytes of address space");
  begin_ = static_cast<char*>(mapped) + PageSize();
  // With huge pages, one written byte would use a whole huge page.
  madvise(begin_, size_, MADV_NOHUGEPAGE);
  Require(mprotect(begin_, size_, PROT_READ | PROT_WRITE), "mprotect");
}

GuardedMemory::~GuardedMemory() {
  munmap(begin_ - PageSize(), size_ + 2 * PageSize());
}

bool GuardedMemory::IsAllZero() const {
  std::vector<unsigned char> in_memory(size_ / PageSize());
  Require(mincore(begin_, size_, in_memory.data()), "mincore");
  for (size_t page = 0; page < in_memory.size(); ++page) {
    if (in_memory[page] % 2 != 0 && !IsZeroPage(begin_ + page * PageSize())) {
      return false;
    }
  }
  return true;
}

void GuardedMemory::Clear() {
  Require(madvise(begin_, size_, MADV_DONTNEED), "madvise");
}

FilterView ViewOf(int num_probes, uint32_t num_words, const char* bits) {
  ParsedFilter filter;
  filter.num_probes = num_probes;
  filter.num_words = num_words;
  filter.bits = bits;
  return FilterView(filter);
}

std::string ToString(Hash128 hash) {
  char text[64];
  std::snprintf(text, sizeof(text), "{0x%" PRIx64 ", 0x%" PRIx64 "}", hash.h1,
                hash.h2);
  return text;
}

Hash128 RandomHash(uint64_t* random) {
  const uint64_t h1 = NextRandom(random);
  return {h1, NextRandom(random)};
}

Hash128 NaiveHash(std::string_view key) {
  const auto [h1, h2] = PlainHash(key);
  return {h1, h2};
}

std::vector<Hash128> EdgeHashes(uint32_t num_words, size_t num_random,
                                uint64_t* random) {
  const std::vector<uint64_t> numbers =
      EdgeNumbers(uint64_t{64} * num_words, random);
  std::vector<Hash128> hashes;
  for (const uint64_t number : numbers) {
    const uint64_t other = numbers[NextRandom(random) % numbers.size()];
    for (const uint64_t increment :
         {uint64_t{0}, uint64_t{1}, UINT64_MAX, NextRandom(random), other}) {
      hashes.push_back({increment, number});
    }
    hashes.push_back({number, NextRandom(random)});
    hashes.push_back({number, number});
  }
  for (size_t i = 0; i < num_random; ++i) {
    hashes.push_back(RandomHash(random));
  }
  return hashes;
}

::testing::AssertionResult Answers(const Kernel& kernel, int num_probes,
                                   uint32_t num_words, const char* bits,
                                   const Hash128* hashes, size_t n) {
  const FilterView filter = ViewOf(num_probes, num_words, bits);
  const Lookup lookup = kernel.choose_lookup(filter);
  // This byte differs from true and false, so the test finds an answer that was
  // not written.
  constexpr unsigned char kUntouched = 0xa5;
  std::array<unsigned char, kMaxBatch + 8> answers;
  answers.fill(kUntouched);
  lookup.batch(filter, hashes, n, reinterpret_cast<bool*>(answers.data()));
  bool expected = false;
  bool alone = false;
  for (size_t i = 0; i < n; ++i) {
    if (i == 0 || hashes[i] != hashes[i - 1]) {  // Many are copies.
      expected = PlainBitsMayContain(hashes[i].h1, hashes[i].h2, num_probes,
                                     num_words, bits);
      alone = lookup.one(filter, hashes[i]);
    }
    if (answers[i] != static_cast<unsigned char>(expected) ||
        alone != expected) {
      return ::testing::AssertionFailure()
             << "key " << i << " of " << n << ", " << ToString(hashes[i])
             << ": expected " << expected << ", alone " << alone << ", "
             << num_words << " words, " << num_probes << " probes";
    }
  }
  for (size_t i = n; i < answers.size(); ++i) {
    if (answers[i] != kUntouched) {
      return ::testing::AssertionFailure()
             << "wrote answer " << i << " of a batch of " << n;
    }
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult AnswersLoneKey(const Kernel& kernel, int num_probes,
                                          uint32_t num_words, char* bits,
                                          Hash128 hash) {
  // Enough keys to fill the vector registers of every kernel.
  std::array<Hash128, 16> copies;
  copies.fill(hash);
  kernel.set_bits(copies.data(), copies.size(), num_probes,
                  InvariantRemainder(uint64_t{64} * num_words), bits);
  std::vector<uint64_t> positions;
  for (int probe = 0; probe < num_probes; ++probe) {
    positions.push_back(PlainPosition(hash.h1, hash.h2, probe, num_words));
    if (!IsSet(bits, positions.back())) {
      return ::testing::AssertionFailure()
             << "bit not set: " << ToString(hash) << " in " << num_words
             << " words, " << num_probes << " probes";
    }
  }
  for (const bool has_all_bits : {true, false}) {
    if (!has_all_bits) {
      Clear(bits, positions[hash.h1 % positions.size()]);
    }
    for (const size_t n : {copies.size(), kFewKeys}) {
      const ::testing::AssertionResult answers =
          Answers(kernel, num_probes, num_words, bits, copies.data(), n);
      if (!answers) {
        return answers;
      }
    }
  }
  for (const uint64_t position : positions) {
    Clear(bits, position);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace cassandra_bloom::testing
