// SPDX-License-Identifier: Apache-2.0

// The checksums of SSTables, as Java computes them, Cassandra's vints, and the
// lines of its transaction logs.

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

// Returns a line as Cassandra's LogRecord.format makes it. `type` is "ADD",
// "REMOVE", "COMMIT" or "ABORT".
inline std::string LogRecord(const std::string& type,
                             const std::string& path = "", int64_t time = 0,
                             int num_files = 0) {
  // The low half of the time comes first.
  const auto bits = static_cast<uint64_t>(time);
  const std::string summed = path + type + BigEndian(bits, 4) +
                             BigEndian(bits >> 32, 4) +
                             BigEndian(static_cast<uint64_t>(num_files), 4);
  return type + ":[" + path + "," + std::to_string(time) + "," +
         std::to_string(num_files) + "][" + std::to_string(Crc32(summed)) +
         "]\n";
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
