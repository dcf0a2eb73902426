// SPDX-License-Identifier: Apache-2.0

// The layout of a Filter.db. This library's filter blocks have the same layout.
//
//    0                  4                  8                        8 + 8*words
//    +------------------+------------------+---- - - - ----------------+
//    | num_probes (k)   | num_words        | bits: 8 * num_words bytes |
//    | int32 big-endian | int32 big-endian |                           |
//    +------------------+------------------+---- - - - ----------------+
//
// Bit p is in byte p / 8 of the bits, with the mask 1 << (p % 8). The filter
// has 64 * num_words bits. There is no checksum, no version and no trailer.
// (org.apache.cassandra.utils.BloomFilterSerializer, obs.OffHeapBitSet.)
//
// This is the form of SSTable versions `na` and later (Cassandra 4.0 and
// later). Earlier versions have the same header, but store each 64-bit word of
// the bits byte-reversed.
//
// Tested in tests/filter/filter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_DB_LAYOUT_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_DB_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom {

// A Filter.db may have 16 GiB.
static_assert(sizeof(size_t) >= 8, "cassandra_bloom needs a 64-bit CPU");

constexpr size_t kFilterDbHeaderSize = 8;

// ParseFilterDb refuses a header with more probes than this. Cassandra writes
// at most 14 probes, and cannot query a filter with more than 21, because its
// BloomFilter computes the positions in a long[21].
constexpr int kMaxReadableProbes = 21;

// Cassandra stores the number of words as a Java int. So a filter has at most
// 16 GiB, which are 2^37 bits.
constexpr uint32_t kMaxFilterWords = 0x7fffffff;

struct ParsedFilter {
  int num_probes = 0;
  uint32_t num_words = 0;
  const char* bits = nullptr;  // Points into the parsed bytes.

  uint64_t capacity_bits() const { return uint64_t{64} * num_words; }
};

constexpr size_t FilterDbSize(uint32_t num_words) {
  return kFilterDbHeaderSize + size_t{8} * num_words;
}

// Returns the largest number of words in a Filter.db of at most `size` bytes,
// or 0 if not even one word fits.
constexpr uint32_t FilterWordsWithin(size_t size) {
  if (size < FilterDbSize(1)) {
    return 0;
  }
  const size_t num_words = (size - kFilterDbHeaderSize) / 8;
  return num_words < kMaxFilterWords ? static_cast<uint32_t>(num_words)
                                     : kMaxFilterWords;
}

// Parses a whole Filter.db. Returns true if `data` is exactly one filter:
// num_probes is 1 to kMaxReadableProbes, num_words is at least 1, and `size` is
// FilterDbSize(num_words). Otherwise returns false and leaves `*filter`
// unchanged. The caller must then treat the filter as one that every key
// matches.
bool ParseFilterDb(const char* data, size_t size, ParsedFilter* filter);

uint64_t CountSetBits(const ParsedFilter& filter);

void WriteFilterDbHeader(int num_probes, uint32_t num_words, char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_FILTER_DB_LAYOUT_H_
