// SPDX-License-Identifier: Apache-2.0

// Cassandra's filter on plain bytes in Java's arithmetic: as naive as
// NaiveFilter, but fast enough for many millions of keys. It shares no code
// with the core, nor with NaiveFilter.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_PLAIN_BITS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_PLAIN_BITS_H_

#include <cstdint>

namespace cassandra_bloom::testing {

// position(i) = abs((h2 + i * h1) % (64 * num_words)), where the sum wraps.
template <typename Visit>
void ForEachPosition(uint64_t h1, uint64_t h2, int num_probes,
                     uint32_t num_words, Visit visit) {
  const int64_t capacity = int64_t{64} * num_words;
  uint64_t base = h2;
  for (int i = 0; i < num_probes; ++i) {
    const int64_t remainder = static_cast<int64_t>(base) % capacity;
    visit(static_cast<uint64_t>(remainder < 0 ? -remainder : remainder));
    base += h1;
  }
}

inline bool IsSet(const char* bits, uint64_t position) {
  return (bits[position / 8] >> (position % 8) & 1) != 0;
}

inline void Set(char* bits, uint64_t position) {
  bits[position / 8] =
      static_cast<char>(bits[position / 8] | (1 << (position % 8)));
}

inline void Clear(char* bits, uint64_t position) {
  bits[position / 8] =
      static_cast<char>(bits[position / 8] & ~(1 << (position % 8)));
}

inline void AddToPlainBits(uint64_t h1, uint64_t h2, int num_probes,
                           uint32_t num_words, char* bits) {
  ForEachPosition(h1, h2, num_probes, num_words,
                  [bits](uint64_t position) { Set(bits, position); });
}

inline bool PlainBitsMayContain(uint64_t h1, uint64_t h2, int num_probes,
                                uint32_t num_words, const char* bits) {
  bool all = true;
  ForEachPosition(h1, h2, num_probes, num_words, [&](uint64_t position) {
    all = all && IsSet(bits, position);
  });
  return all;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_PLAIN_BITS_H_
