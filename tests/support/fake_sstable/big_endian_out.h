// SPDX-License-Identifier: Apache-2.0

// Appends numbers and texts to a string as Java's DataOutput writes them.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_BIG_ENDIAN_OUT_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_BIG_ENDIAN_OUT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cassandra_bloom::testing {

// Appends the low `size` bytes of `value`, the highest byte first.
inline void AppendBigEndian(uint64_t value, size_t size, std::string* out) {
  while (size > 0) {
    --size;
    out->push_back(static_cast<char>(value >> (8 * size)));
  }
}

inline void AppendInt32(int32_t value, std::string* out) {
  AppendBigEndian(static_cast<uint32_t>(value), 4, out);
}

inline void AppendInt64(int64_t value, std::string* out) {
  AppendBigEndian(static_cast<uint64_t>(value), 8, out);
}

inline void AppendDouble(double value, std::string* out) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  AppendBigEndian(bits, 8, out);
}

// Appends the length as a 16-bit number, then the bytes.
inline void AppendWithLength(std::string_view bytes, std::string* out) {
  if (bytes.size() > 0xffff) {
    throw std::invalid_argument("a key or text of more than 65535 bytes");
  }
  AppendBigEndian(bytes.size(), 2, out);
  out->append(bytes);
}

// Appends an unsigned vint of Cassandra. The number of 1 bits at the start of
// the first byte is the number of bytes that follow the first byte.
inline void AppendUnsignedVInt(uint64_t value, std::string* out) {
  size_t size = 1;
  while (size < 9 && value >> (7 * size) != 0) {
    ++size;
  }
  if (size == 9) {
    out->push_back('\xff');
    AppendBigEndian(value, 8, out);
    return;
  }
  const uint64_t marker = (0xff00U >> (size - 1)) & 0xff;
  AppendBigEndian(value | (marker << (8 * (size - 1))), size, out);
}

// Appends a signed vint of Cassandra. The numbers 0, -1, 1, -2, 2 become the
// unsigned vints 0, 1, 2, 3, 4.
inline void AppendVInt(int64_t value, std::string* out) {
  const auto bits = static_cast<uint64_t>(value);
  AppendUnsignedVInt(value < 0 ? ~(bits << 1) : bits << 1, out);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_BIG_ENDIAN_OUT_H_
