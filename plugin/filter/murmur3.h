// SPDX-License-Identifier: Apache-2.0

// Cassandra's hash of a partition key. It is MurmurHash3 x64 128 with seed 0,
// except for one difference in the tail. The tail is the last size % 16 bytes.
//
// Java's bytes are signed, and Cassandra widens the bytes of the tail to long
// without masking them (org.apache.cassandra.utils.MurmurHash.hash3_x64_128).
// So a byte >= 0x80 is sign-extended before it is shifted and XORed in. The
// eighth byte of the tail makes no difference, because its sign bits are
// shifted out.
//
// Files on disk depend on this hash, so it must never be corrected.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_MURMUR3_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_MURMUR3_H_

#include <cstddef>
#include <cstdint>

#include "plugin/filter/endian.h"

namespace cassandra_bloom {

// The two numbers of a hash. Cassandra calls them result[0] and result[1].
struct Hash128 {
  uint64_t h1;
  uint64_t h2;

  friend bool operator==(Hash128 a, Hash128 b) {
    return a.h1 == b.h1 && a.h2 == b.h2;
  }
  friend bool operator!=(Hash128 a, Hash128 b) { return !(a == b); }
};

namespace murmur3_internal {

constexpr uint64_t kC1 = 0x87c37b91114253d5;
constexpr uint64_t kC2 = 0x4cf5ad432745937f;
constexpr uint64_t kAfterBlock1 = 0x52dce729;
constexpr uint64_t kAfterBlock2 = 0x38495ab5;
constexpr uint64_t kFinalFactors[] = {0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53};

constexpr uint64_t RotateLeft(uint64_t x, int r) {
  return (x << r) | (x >> (64 - r));
}

inline uint64_t MixK1(uint64_t k) { return RotateLeft(k * kC1, 31) * kC2; }
inline uint64_t MixK2(uint64_t k) { return RotateLeft(k * kC2, 33) * kC1; }

inline uint64_t Finalize(uint64_t x) {
  for (const uint64_t factor : kFinalFactors) {
    x = (x ^ (x >> 33)) * factor;
  }
  return x ^ (x >> 33);
}

// Returns the XOR of the sign-extended bytes of `bytes`: of (int64)(int8)byte_j
// << 8j, for j = 0 to 7. Needs no loop over the bytes.
//
// A negative byte inverts every byte above it. So a byte is inverted if an odd
// number of the bytes below it are negative. The multiplication counts these
// negative bytes for each byte. A count is at most 7, so no count carries over
// into the next byte.
inline uint64_t XorOfSignExtendedBytes(uint64_t bytes) {
  constexpr uint64_t kLowBitOfEachByte = 0x0101010101010101;
  const uint64_t negative = (bytes >> 7) & kLowBitOfEachByte;
  const uint64_t inverted =
      (negative * (kLowBitOfEachByte << 8)) & kLowBitOfEachByte;
  return bytes ^ ((inverted << 8) - inverted);
}

inline void MixBlock(const char* data, Hash128* hash) {
  hash->h1 ^= MixK1(LoadLittleEndian64(data));
  hash->h1 = (RotateLeft(hash->h1, 27) + hash->h2) * 5 + kAfterBlock1;
  hash->h2 ^= MixK2(LoadLittleEndian64(data + 8));
  hash->h2 = (RotateLeft(hash->h2, 31) + hash->h1) * 5 + kAfterBlock2;
}

inline void MixTail(const char* data, size_t size, Hash128* hash) {
  if (size > 8) {
    hash->h2 ^=
        MixK2(XorOfSignExtendedBytes(LoadLittleEndianTail(data + 8, size - 8)));
    hash->h1 ^= MixK1(XorOfSignExtendedBytes(LoadLittleEndian64(data)));
  } else if (size > 0) {
    hash->h1 ^= MixK1(XorOfSignExtendedBytes(LoadLittleEndianTail(data, size)));
  }
}

inline Hash128 Finish(Hash128 hash, size_t size) {
  uint64_t h1 = hash.h1 ^ size;
  uint64_t h2 = hash.h2 ^ size;
  h1 += h2;
  h2 += h1;
  h1 = Finalize(h1);
  h2 = Finalize(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

}  // namespace murmur3_internal

// Returns the hash of `size` bytes. `data` may be null if `size` is 0. The hash
// of the empty key is {0, 0}.
inline Hash128 CassandraMurmur3(const char* data, size_t size) {
  using namespace murmur3_internal;
  Hash128 hash{0, 0};
  if (size == 16) {  // For example a UUID: one block and no tail.
    MixBlock(data, &hash);
    return Finish(hash, 16);
  }
  const size_t tail_size = size & 15;
  const char* const tail = data + (size - tail_size);
  for (; data != tail; data += 16) {
    MixBlock(data, &hash);
  }
  MixTail(tail, tail_size, &hash);
  return Finish(hash, size);
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_MURMUR3_H_
