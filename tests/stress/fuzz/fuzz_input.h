// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temp_dir.h"

// Aborts the fuzzer unless `condition` is true. libFuzzer then keeps the input.
#define FUZZ_CHECK(condition)                                            \
  if (!(condition)) {                                                    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    std::abort();                                                        \
  }

namespace cassandra_bloom::testing {

// Returns a folder for the files of all inputs, in memory if possible.
inline const TempDir& FuzzFolder() {
  static const TempDir folder(FolderInMemory());
  return folder;
}

// Takes numbers and strings from the front of a fuzzer's input. After the end
// of the input, numbers are 0 and strings are empty.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool at_end() const { return rest_.empty(); }

  std::string Bytes(size_t size) {
    std::string bytes(rest_.substr(0, size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  // Takes a big-endian number of `size` bytes, or of all remaining bytes if
  // fewer remain.
  uint64_t Number(size_t size) {
    uint64_t number = 0;
    for (const char byte : Bytes(size)) {
      number = number << 8 | static_cast<uint8_t>(byte);
    }
    return number;
  }

 private:
  std::string_view rest_;
};

// ---- Filters, parsed without the code of the folder `plugin` ----

constexpr size_t kHeaderSize = 8;

struct Header {
  uint64_t num_probes;
  uint64_t num_words;
};

// What the header lacks is 0.
inline Header HeaderOf(const std::string& filter) {
  FuzzInput input(reinterpret_cast<const uint8_t*>(filter.data()),
                  filter.size());
  const uint64_t num_probes = input.Number(4);
  return {num_probes, input.Number(4)};
}

inline bool IsFilter(const std::string& bytes) {
  const Header header = HeaderOf(bytes);
  return bytes.size() >= kHeaderSize && header.num_probes >= 1 &&
         header.num_probes <= 21 && header.num_words >= 1 &&
         header.num_words <= 0x7fffffff &&
         bytes.size() == kHeaderSize + 8 * header.num_words;
}

// Sets the number of words in the header to fit the size. Sets the number of
// probes to a number in or near the valid range.
inline void MakeHeaderFit(std::string* filter) {
  if (filter->size() < kHeaderSize + 8) {
    return;
  }
  const size_t num_words = (filter->size() - kHeaderSize) / 8;
  filter->resize(kHeaderSize + 8 * num_words);
  const uint64_t num_probes = HeaderOf(*filter).num_probes % 24;
  filter->replace(0, 4, {0, 0, 0, static_cast<char>(num_probes)});
  for (size_t i = 0; i < 4; ++i) {
    (*filter)[4 + i] = static_cast<char>(num_words >> (24 - 8 * i));
  }
}

// Returns parts of `bytes` as keys, enough for two batches of a kernel.
inline std::vector<std::string> KeysIn(const std::string& bytes) {
  constexpr size_t kNumKeys = 70;
  std::vector<std::string> keys;
  for (size_t i = 0; i < kNumKeys; ++i) {
    keys.push_back(bytes.substr(i * 13 % (bytes.size() + 1), i % 41));
  }
  return keys;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_
