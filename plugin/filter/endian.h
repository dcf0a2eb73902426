// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_ENDIAN_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_ENDIAN_H_

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cassandra_bloom {

inline uint64_t LoadLittleEndian64(const char* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return le64toh(value);
}

inline uint32_t LoadLittleEndian32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return le32toh(value);
}

inline void StoreLittleEndian64(uint64_t value, char* p) {
  const uint64_t stored = htole64(value);
  std::memcpy(p, &stored, sizeof(stored));
}

// Returns the `size` bytes at `p` as a little-endian number. Requires 1 <= size
// <= 8. Reads no other bytes.
inline uint64_t LoadLittleEndianTail(const char* p, size_t size) {
  if (size >= 4) {
    const uint64_t low = LoadLittleEndian32(p);
    const uint64_t high = LoadLittleEndian32(p + size - 4);
    return low | (high << (8 * (size - 4)));
  }
  const auto byte = [p](size_t i) -> uint64_t {
    return static_cast<uint8_t>(p[i]);
  };
  // If `size` is below 3, some byte is read twice, which changes nothing.
  return byte(0) | (byte(size / 2) << (8 * (size / 2))) |
         (byte(size - 1) << (8 * (size - 1)));
}

inline uint16_t LoadBigEndian16(const char* p) {
  uint16_t value;
  std::memcpy(&value, p, sizeof(value));
  return be16toh(value);
}

inline int64_t LoadBigEndian64(const char* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return static_cast<int64_t>(be64toh(value));
}

inline int32_t LoadBigEndian32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return static_cast<int32_t>(be32toh(value));
}

inline void StoreBigEndian32(int32_t value, char* p) {
  const uint32_t stored = htobe32(static_cast<uint32_t>(value));
  std::memcpy(p, &stored, sizeof(stored));
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_ENDIAN_H_
