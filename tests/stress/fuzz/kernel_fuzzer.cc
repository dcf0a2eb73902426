// SPDX-License-Identifier: Apache-2.0

// Gives any keys, hashes and bits to every kernel. A kernel must hash like
// NaiveFilter, and must set and look up bits like naive_filter.h. The first
// bytes of the input choose the size of the filter, its number of probes, its
// address and its initial bits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter/filter_view.h"
#include "plugin/filter/kernels/dispatch.h"
#include "plugin/filter/murmur3.h"
#include "tests/stress/fuzz/fuzz_check.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/support/naive_filter.h"

namespace cassandra_bloom::testing {
namespace {

// Large filters take time, so they are rare. The largest filters make every
// kernel prefetch memory before it sets bits.
uint32_t NumWords(FuzzInput* input) {
  const uint64_t choice = input->Number(2) % 1000;
  const uint64_t most = choice == 999  ? 600000
                        : choice > 980 ? 10000
                        : choice < 100 ? 10
                                       : 600;
  return static_cast<uint32_t>(1 + input->Number(3) % most);
}

// Several keys in a row have the same length.
std::vector<std::string> Keys(FuzzInput* input) {
  std::vector<std::string> keys;
  while (!input->at_end() && keys.size() < 80) {
    const size_t length = input->Number(1) % 100;
    for (size_t run = 1 + input->Number(1) % 40; run > 0; --run) {
      keys.push_back(input->Bytes(length));
      keys.back().resize(length, static_cast<char>(run));
    }
  }
  return keys;
}

std::vector<Hash128> NaiveHashes(const std::vector<std::string>& keys) {
  std::vector<Hash128> hashes;
  for (const std::string& key : keys) {
    const auto [h1, h2] = PlainHash(key);
    hashes.push_back({h1, h2});
  }
  return hashes;
}

// Uses the first bytes of each key as its hash. So the fuzzer can choose
// hashes. The fuzzer would seldom find a key whose real hash has a given value.
std::vector<Hash128> HashesAsTheyStand(const std::vector<std::string>& keys) {
  std::vector<Hash128> hashes;
  for (const std::string& key : keys) {
    uint64_t words[2] = {};
    std::memcpy(words, key.data(), std::min(key.size(), sizeof(words)));
    hashes.push_back({words[0], words[1]});
  }
  return hashes;
}

void CheckHashes(const Kernel& kernel, const std::vector<std::string>& keys,
                 const std::vector<Hash128>& expected) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<Hash128> hashes(keys.size());
  kernel.hash(views.data(), views.size(), hashes.data());
  FUZZ_CHECK(hashes == expected);
}

struct Size {
  int num_probes;
  uint32_t num_words;
};

// The bits of a filter, at an address of any alignment.
class Bits {
 public:
  Bits(Size size, size_t shift, const std::string& pattern)
      : shift_(shift), bytes_(shift + size_t{8} * size.num_words) {
    for (size_t i = 0; i < bytes_.size() && !pattern.empty();) {
      i += pattern.copy(bytes_.data() + i, bytes_.size() - i);
    }
  }

  char* data() { return bytes_.data() + shift_; }
  const char* data() const { return bytes_.data() + shift_; }

  bool operator==(const Bits& other) const { return bytes_ == other.bytes_; }

 private:
  size_t shift_;
  std::vector<char> bytes_;  // Ends exactly where the bits end.
};

std::vector<bool> NaiveAnswers(Size size, const std::vector<Hash128>& hashes,
                               const Bits& bits) {
  std::vector<bool> answers;
  for (const Hash128 hash : hashes) {
    answers.push_back(PlainBitsMayContain(hash.h1, hash.h2, size.num_probes,
                                          size.num_words, bits.data()));
  }
  return answers;
}

std::vector<bool> AnswersOf(const Kernel& kernel, const FilterView& filter,
                            const std::vector<Hash128>& hashes,
                            size_t batch_size) {
  std::vector<bool> all;
  while (all.size() < hashes.size()) {
    const Hash128* const begin = hashes.data() + all.size();
    const size_t n = std::min(batch_size, hashes.size() - all.size());
    // Hashes and answers end exactly where the batch ends, so a sanitizer sees
    // an access past the end.
    const std::vector<Hash128> batch(begin, begin + n);
    const auto answers = std::make_unique<bool[]>(n);
    kernel.choose_lookup(filter).batch(filter, batch.data(), n, answers.get());
    all.insert(all.end(), answers.get(), answers.get() + n);
  }
  return all;
}

std::vector<bool> AnswersOneByOne(const Kernel& kernel,
                                  const FilterView& filter,
                                  const std::vector<Hash128>& hashes) {
  std::vector<bool> answers;
  for (const Hash128 hash : hashes) {
    answers.push_back(kernel.choose_lookup(filter).one(filter, hash));
  }
  return answers;
}

void CheckAnswers(Size size, const std::vector<Hash128>& hashes,
                  const Bits& bits, size_t batch_size) {
  const std::vector<bool> expected = NaiveAnswers(size, hashes, bits);
  ParsedFilter db;
  db.num_probes = size.num_probes;
  db.num_words = size.num_words;
  db.bits = bits.data();
  const FilterView filter(db);
  for (const Kernel* const kernel : Kernels()) {
    FUZZ_CHECK(AnswersOf(*kernel, filter, hashes, batch_size) == expected);
    FUZZ_CHECK(AnswersOneByOne(*kernel, filter, hashes) == expected);
  }
}

void CheckFilter(Size size, const std::vector<Hash128>& hashes,
                 const Bits& begun, size_t batch_size) {
  const std::vector<Hash128> added(hashes.data(),
                                   hashes.data() + hashes.size() / 2);
  Bits expected = begun;
  for (const Hash128 hash : added) {
    AddToPlainBits(hash.h1, hash.h2, size.num_probes, size.num_words,
                   expected.data());
  }
  for (const Kernel* const kernel : Kernels()) {
    Bits bits = begun;
    kernel->set_bits(added.data(), added.size(), size.num_probes,
                     InvariantRemainder(uint64_t{64} * size.num_words),
                     bits.data());
    FUZZ_CHECK(bits == expected);
  }
  CheckAnswers(size, hashes, begun, batch_size);
  CheckAnswers(size, hashes, expected, batch_size);
}

void Check(FuzzInput input) {
  const Size size = {static_cast<int>(1 + input.Number(1) % 21),
                     NumWords(&input)};
  const size_t shift = input.Number(1) % 64;
  const size_t batch_size = 1 + input.Number(1) % kMaxBatch;
  // If the pattern sets most bits, the first probes mostly find set bits. Then
  // the answers also depend on the later probes.
  const std::string pattern = input.Bytes(input.Number(1) % 16);
  const Bits bits(size, shift, pattern);
  const std::vector<std::string> keys = Keys(&input);
  const std::vector<Hash128> hashes = NaiveHashes(keys);
  for (const Kernel* const kernel : Kernels()) {
    CheckHashes(*kernel, keys, hashes);
  }
  CheckFilter(size, hashes, bits, batch_size);
  CheckFilter(size, HashesAsTheyStand(keys), bits, batch_size);
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::Check({data, size});
  return 0;
}
