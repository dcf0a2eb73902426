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

// A block that matches every key, and a file that FilterDbFile refuses with an
// error that begins with `fault`.
struct BrokenFilter {
  int32_t num_probes;
  int32_t num_words;
  size_t size;
  const char* fault;

  // Returns a vector of exactly `size` bytes, so that a sanitizer notices a
  // read past its end.
  std::vector<char> Block() const {
    const std::string bytes = FilterDbBytes(num_probes, num_words, size);
    return {bytes.begin(), bytes.end()};
  }
};

constexpr BrokenFilter kBrokenFilters[] = {
    {7, 1, 0, ""},
    {7, 2, 1, "truncated: 1 bytes, and the header alone has 8"},
    {7, 2, 2, "truncated: 2 bytes, and the header alone has 8"},
    {7, 2, 3, "truncated: 3 bytes, and the header alone has 8"},
    {7, 2, 4, "truncated: 4 bytes, and the header alone has 8"},
    {7, 2, 5, "truncated: 5 bytes, and the header alone has 8"},
    {7, 2, 6, "truncated: 6 bytes, and the header alone has 8"},
    {7, 2, 7, "truncated: 7 bytes, and the header alone has 8"},
    {7, 2, 8,
     "truncated: 8 bytes, but a header that says 2 words belongs to a "
     "file of 24"},
    {7, 2, 16, "truncated: 16 bytes, but a header that says 2 words"},
    {7, 2, 23, "truncated: 23 bytes, but a header that says 2 words"},
    {7, 2, 25, "too long: 25 bytes, but a header that says 2 words"},
    {7, 2, 32, "too long: 32 bytes, but a header that says 2 words"},
    {7, 0, 8, "the number of words is 0, not 1 or more"},
    {7, -1, 24, "the number of words is -1, not 1 or more"},
    {7, INT32_MIN, 24, "the number of words is -2147483648, not 1 or more"},
    {7, INT32_MAX, 24,
     "truncated: 24 bytes, but a header that says 2147483647 "
     "words belongs to a file of 17179869184"},
    {0, 2, 24, "the number of probes (k) is 0, not 1 to 21"},
    {-1, 2, 24, "the number of probes (k) is -1, not 1 to 21"},
    {22, 2, 24, "the number of probes (k) is 22, not 1 to 21"},
    {65, 2, 24, "the number of probes (k) is 65, not 1 to 21"},
    {INT32_MAX, 2, 24, "the number of probes (k) is 2147483647, not 1 to 21"},
    {INT32_MIN, 2, 24, "the number of probes (k) is -2147483648, not 1 to 21"},
    {7, 0, 16, "the number of words is 0, not 1 or more"},
    {7, 1, 24, "too long: 24 bytes, but a header that says 1 words"},
    {7, 3, 24, "truncated: 24 bytes, but a header that says 3 words"},
    // A size of 2^32 + 16 bytes, cut to 32 bits.
    {7, 0x20000001, 16,
     "truncated: 16 bytes, but a header that says 536870913"},
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_BROKEN_FILTERS_H_
