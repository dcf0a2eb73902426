// SPDX-License-Identifier: Apache-2.0

// The checksums of SSTables, as Java computes them, and Cassandra's vints.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_

#include <zlib.h>

#include <cstdint>
#include <string>

#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

inline const Bytef* BytesOf(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

inline uint32_t Crc32(const std::string& bytes) {
  return static_cast<uint32_t>(crc32_z(0, BytesOf(bytes), bytes.size()));
}

inline std::string WithChecksum(const std::string& bytes) {
  return bytes + BigEndian(Crc32(bytes), 4);
}

// Returns an unsigned vint of Cassandra with `more` bytes after the first byte,
// which begins with as many 1 bits. If `more` is below 8, `value` must fit into
// 7 * (more + 1) bits.
inline std::string UnsignedVInt(uint64_t value, int more) {
  if (more == 8) {
    return "\xff" + BigEndian(value, 8);
  }
  std::string bytes = BigEndian(value, more + 1);
  bytes[0] = static_cast<char>(bytes[0] | (0xff00 >> more));
  return bytes;
}

// Returns the shortest one.
inline std::string UnsignedVInt(uint64_t value) {
  int more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) {
    ++more;
  }
  return UnsignedVInt(value, more);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
