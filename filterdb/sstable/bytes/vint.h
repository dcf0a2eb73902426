// SPDX-License-Identifier: Apache-2.0

// Unsigned vints are integers of 1 to 9 bytes (Cassandra's
// utils.vint.VIntCoding). The number of leading 1 bits in the first byte is the
// number of bytes that follow. If fewer than 8 bytes follow, a 0 bit comes
// after the leading 1 bits. All other bits are the number, big-endian. (Tested
// in index_db_reader_test.cc.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_VINT_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_VINT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cassandra_bloom::tools {

// Returns the size of a vint in bytes, including its first byte.
inline size_t SizeOfVInt(char first) {
  const auto byte = static_cast<uint8_t>(first);
  return byte == 0xff ? 9
                      : 1 + static_cast<size_t>(__builtin_clz(
                                ~(static_cast<unsigned>(byte) << 24)));
}

// `vint` must have exactly the bytes of one vint.
inline uint64_t DecodeVInt(std::string_view vint) {
  uint64_t number =
      static_cast<uint8_t>(vint[0]) & (0xffU >> (vint.size() - 1));
  for (const char byte : vint.substr(1)) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return number;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_VINT_H_
