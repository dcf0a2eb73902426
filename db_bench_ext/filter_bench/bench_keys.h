// SPDX-License-Identifier: Apache-2.0

// Makes keys for the benchmark. Each key is made from a number. The same number
// and the same KeyShape always give the same key.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_KEYS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_KEYS_H_

#include <rocksdb/slice.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cassandra_bloom::bench {

// Returns a number that looks random. Different numbers give different results.
inline uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The lengths of keys, in bytes.
struct KeyShape {
  // Two keys that are made from different numbers always differ in their first
  // kMinLength bytes. Therefore no absent key is equal to a present key.
  static constexpr size_t kMinLength = sizeof(uint64_t);
  static constexpr size_t kMaxLength = 4096;
  static constexpr size_t kMaxRandomLength = 64;

  size_t min_length = 16;  // At least kMinLength.
  size_t max_length = 16;
};

// Memory for kCapacity keys. kCapacity is small, so that short keys stay in the
// CPU's nearest caches.
class KeyChunk {
 public:
  static constexpr size_t kCapacity = 256;

  explicit KeyChunk(KeyShape shape)
      : shape_(shape),
        stride_((shape.max_length + 7) / 8 * 8),
        bytes_(stride_ * kCapacity) {
    for (size_t i = 0; i < kCapacity; ++i) {
      pointers_[i] = &slices_[i];
    }
  }
  KeyChunk(const KeyChunk&) = delete;
  KeyChunk& operator=(const KeyChunk&) = delete;

  void Set(size_t i, uint64_t number) {
    char* const key = &bytes_[i * stride_];
    const size_t length =
        shape_.min_length +
        Mix(~number) % (shape_.max_length - shape_.min_length + 1);
    uint64_t word = Mix(number);
    for (size_t at = 0; at < length; at += sizeof(word)) {
      std::memcpy(key + at, &word, sizeof(word));
      word = (word + 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    }
    slices_[i] = ROCKSDB_NAMESPACE::Slice(key, length);
  }

  const ROCKSDB_NAMESPACE::Slice& operator[](size_t i) const {
    return slices_[i];
  }

  // Returns pointers to the keys, because FilterBitsReader::MayMatch takes a
  // batch of keys in this form.
  ROCKSDB_NAMESPACE::Slice** pointers() { return pointers_.data(); }

 private:
  const KeyShape shape_;
  const size_t stride_;
  std::vector<char> bytes_;
  std::array<ROCKSDB_NAMESPACE::Slice, kCapacity> slices_;
  std::array<ROCKSDB_NAMESPACE::Slice*, kCapacity> pointers_;
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_KEYS_H_
