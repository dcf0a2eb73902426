// SPDX-License-Identifier: Apache-2.0

// Cassandra's filter, as simple as Cassandra's Java code, but fast enough for
// many millions of keys. Tests compare the folder `plugin` with this filter, so
// this filter shares no code with `plugin`.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace cassandra_bloom::testing {

// ---- The hash ----

inline uint64_t RotateLeft(uint64_t x, int r) {
  return (x << r) | (x >> (64 - r));
}

inline uint64_t Finalize(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33);
}

inline uint64_t BlockAt(const char* data) {
  uint64_t block;
  std::memcpy(&block, data, sizeof(block));
  return le64toh(block);
}

// Returns the byte as Java converts it to long, with its sign.
inline uint64_t SignedByte(char byte) {
  return static_cast<uint64_t>(
      static_cast<int64_t>(static_cast<signed char>(byte)));
}

// Returns {result[0], result[1]} of Cassandra's MurmurHash.hash3_x64_128.
inline std::pair<uint64_t, uint64_t> PlainHash(std::string_view key) {
  constexpr uint64_t kC1 = 0x87c37b91114253d5U;
  constexpr uint64_t kC2 = 0x4cf5ad432745937fU;
  const char* const data = key.data();
  const size_t tail = key.size() / 16 * 16;
  uint64_t h1 = 0;
  uint64_t h2 = 0;
  for (size_t at = 0; at < tail; at += 16) {
    h1 ^= RotateLeft(BlockAt(data + at) * kC1, 31) * kC2;
    h1 = (RotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= RotateLeft(BlockAt(data + at + 8) * kC2, 33) * kC1;
    h2 = (RotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  uint64_t k1 = 0;
  uint64_t k2 = 0;
  for (size_t i = key.size(); i > tail + 8; --i) {
    k2 ^= SignedByte(data[i - 1]) << (8 * (i - 1 - tail - 8));
  }
  for (size_t i = key.size() < tail + 8 ? key.size() : tail + 8; i > tail;
       --i) {
    k1 ^= SignedByte(data[i - 1]) << (8 * (i - 1 - tail));
  }
  h2 ^= RotateLeft(k2 * kC2, 33) * kC1;
  h1 ^= RotateLeft(k1 * kC1, 31) * kC2;
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  h1 = Finalize(h1);
  h2 = Finalize(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

// ---- The bits ----

// Returns the position of a probe: abs((h2 + probe * h1) % (64 * num_words)).
// The sum wraps at 64 bits.
inline uint64_t PlainPosition(uint64_t h1, uint64_t h2, int probe,
                              uint32_t num_words) {
  const uint64_t sum = h2 + static_cast<uint64_t>(probe) * h1;
  const int64_t remainder =
      static_cast<int64_t>(sum) % (int64_t{64} * num_words);
  return static_cast<uint64_t>(remainder < 0 ? -remainder : remainder);
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
  for (int probe = 0; probe < num_probes; ++probe) {
    Set(bits, PlainPosition(h1, h2, probe, num_words));
  }
}

inline bool PlainBitsMayContain(uint64_t h1, uint64_t h2, int num_probes,
                                uint32_t num_words, const char* bits) {
  for (int probe = 0; probe < num_probes; ++probe) {
    if (!IsSet(bits, PlainPosition(h1, h2, probe, num_words))) {
      return false;
    }
  }
  return true;
}

// ---- The filter ----

class NaiveFilter {
 public:
  NaiveFilter(int num_probes, uint32_t num_words)
      : num_probes_(num_probes),
        num_words_(num_words),
        bits_(size_t{8} * num_words, '\0') {}

  void Add(const std::string& key) {
    const auto [h1, h2] = PlainHash(key);
    AddToPlainBits(h1, h2, num_probes_, num_words_, bits_.data());
  }
  bool MayContain(const std::string& key) const {
    const auto [h1, h2] = PlainHash(key);
    return PlainBitsMayContain(h1, h2, num_probes_, num_words_, bits_.data());
  }

  // Returns the bytes of the Filter.db in SSTable versions `na` and later.
  std::string Serialize() const {
    std::string header(8, '\0');
    for (size_t i = 0; i < 4; ++i) {
      header[i] = static_cast<char>(num_probes_ >> (24 - 8 * i));
      header[4 + i] = static_cast<char>(num_words_ >> (24 - 8 * i));
    }
    return header + bits_;
  }

 private:
  const int num_probes_;
  const uint32_t num_words_;
  std::string bits_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
