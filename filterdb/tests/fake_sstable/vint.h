// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_

#include <cstdint>
#include <string>

#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

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

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VINT_H_
