// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_

#include <cstdint>
#include <string>

#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

// Returns an unsigned vint of Cassandra. The number of 1 bits at the start of
// the first byte is the number of bytes that follow the first byte.
inline std::string UnsignedVInt(uint64_t value) {
  int more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) {
    ++more;
  }
  if (more == 8) {
    return "\xff" + BigEndian(value, 8);
  }
  std::string bytes = BigEndian(value, more + 1);
  bytes[0] = static_cast<char>(bytes[0] | (0xff00 >> more));
  return bytes;
}

// Returns a signed vint of Cassandra. The numbers 0, -1, 1, -2, 2 become the
// unsigned vints 0, 1, 2, 3, 4.
inline std::string VInt(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return UnsignedVInt(value < 0 ? ~(bits << 1) : bits << 1);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_
