// SPDX-License-Identifier: Apache-2.0

// The layout of a Filter.db, which is also the layout of this library's filter
// block.
//
//    0                  4                  8                        8 + 8*words
//    +------------------+------------------+---- - - - ----------------+
//    | num_probes (k)   | num_words        | bits: 8 * num_words bytes |
//    | int32 big-endian | int32 big-endian |                           |
//    +------------------+------------------+---- - - - ----------------+
//
// Bit p is in byte p / 8 of the bits, mask 1 << (p % 8); the capacity is
// 64 * num_words bits. No checksum, no version, no trailer.
// (org.apache.cassandra.utils.BloomFilterSerializer, obs.OffHeapBitSet.)
//
// This is the form of SSTable versions `na` and later (Cassandra 4.0 and
// later). Versions before `na` have the same header, but store each 64-bit word
// of the bits byte-reversed.
//
// Tested in tests/filter/filter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_LAYOUT_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace cassandra_bloom {

constexpr size_t kFilterDbHeaderSize = 8;

// A header with more probes than this counts as damaged. (Cassandra writes at
// most 14 and crashes when it queries a filter with more than 21.)
constexpr int kMaxReadableProbes = 64;

// Cassandra stores the number of words as a Java int, so a filter has at most
// 16 GiB, 2^37 bits.
constexpr uint32_t kMaxFilterWords = 0x7fffffff;

struct ParsedFilter {
  int num_probes = 0;
  uint32_t num_words = 0;
  const char* bits = nullptr;  // Points into the parsed bytes.

  uint64_t capacity_bits() const { return uint64_t{64} * num_words; }
};

// The most words of a filter that fits into the memory of a process. On a
// 64-bit CPU every filter fits, on a 32-bit CPU one of up to 2 GiB.
constexpr uint32_t kMaxAddressableWords =
    (PTRDIFF_MAX - kFilterDbHeaderSize) / 8 < kMaxFilterWords
        ? static_cast<uint32_t>((PTRDIFF_MAX - kFilterDbHeaderSize) / 8)
        : kMaxFilterWords;

// Returns SIZE_MAX, so that allocating fails, if there are more words than
// kMaxAddressableWords.
constexpr size_t FilterDbSize(uint32_t num_words) {
  return num_words <= kMaxAddressableWords
             ? kFilterDbHeaderSize + size_t{8} * num_words
             : SIZE_MAX;
}

// The largest number of words in a file of at most this size; 0 if not even one
// word fits.
constexpr uint32_t FilterWordsWithin(size_t size) {
  if (size < FilterDbSize(1)) {
    return 0;
  }
  const size_t num_words = (size - kFilterDbHeaderSize) / 8;
  return num_words < kMaxFilterWords ? static_cast<uint32_t>(num_words)
                                     : kMaxFilterWords;
}

// The filter that every key matches: one word with all bits set.
constexpr char kMatchAllFilterDb[FilterDbSize(1)] = {
    0,      0,      0,      1,      0,      0,      0,      1,  // k, num_words
    '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff'};

// Parses a whole Filter.db. The bytes must be exactly one filter: 1 <=
// num_probes <= kMaxReadableProbes, num_words >= 1 and size ==
// FilterDbSize(num_words). Otherwise returns false and leaves `*filter`
// unchanged; the caller must then treat the filter as one that matches
// everything.
bool ParseFilterDb(const char* data, size_t size, ParsedFilter* filter);

uint64_t CountSetBits(const ParsedFilter& filter);

// Writes the header of a Filter.db, kFilterDbHeaderSize bytes, to `out`. The
// bits of the filter follow it.
void WriteFilterDbHeader(int num_probes, uint32_t num_words, char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_LAYOUT_H_
