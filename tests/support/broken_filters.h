// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_BROKEN_FILTERS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_BROKEN_FILTERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom::testing {

// Returns `size` bytes: a header with these values, and then zeros.
inline std::string FilterDbBytes(int32_t num_probes, int32_t num_words,
                                 size_t size) {
  std::string bytes(std::max(kFilterDbHeaderSize, size), '\0');
  StoreBigEndian32(num_probes, bytes.data());
  StoreBigEndian32(num_words, bytes.data() + 4);
  bytes.resize(size);
  return bytes;
}

// A filter that every key matches: one word with all bits set.
inline std::string MatchAllFilterDb() {
  return FilterDbBytes(1, 1, 8) + std::string(8, '\xff');
}

struct BrokenFilter {
  const char* what;
  int32_t num_probes;
  int32_t num_words;
  size_t size;

  // Returns a vector of exactly `size` bytes, so that a sanitizer notices a
  // read past its end.
  std::vector<char> Block() const {
    const std::string bytes = FilterDbBytes(num_probes, num_words, size);
    return {bytes.begin(), bytes.end()};
  }
};

constexpr BrokenFilter kBrokenFilters[] = {
    {"empty", 7, 1, 0},
    {"seven bytes", 7, 1, 7},
    {"header only", 7, 1, 8},
    {"header only, no words", 7, 0, 8},
    {"no words, some bits", 7, 0, 16},
    {"negative words", 7, -1, 16},
    {"most negative words", 7, INT32_MIN, 16},
    {"one word too few for the size", 7, 1, 24},
    {"one word too many for the size", 7, 3, 24},
    {"one byte short", 7, 2, 23},
    {"one byte more", 7, 2, 25},
    {"no probes", 0, 2, 24},
    {"negative probes", -1, 2, 24},
    {"most negative probes", INT32_MIN, 2, 24},
    {"too many probes", kMaxReadableProbes + 1, 2, 24},
    {"far too many probes", INT32_MAX, 2, 24},
    {"the largest filter, without its bits", 7, INT32_MAX, 24},
    {"a size of 2^32 + 16 bytes, cut to 32 bits", 7, 0x20000001, 16},
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_BROKEN_FILTERS_H_
