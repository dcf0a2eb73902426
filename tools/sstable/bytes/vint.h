// SPDX-License-Identifier: Apache-2.0

// Unsigned vints (Cassandra's utils.vint.VIntCoding): the number of leading 1
// bits of the first byte is the number of bytes that follow it. If fewer than 8
// bytes follow, a 0 bit comes after these 1 bits. All other bits are the
// number, big-endian. (Tested in index_db_reader_test.cc.)

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_VINT_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_VINT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cassandra_bloom::tools {

// The size of the vint in bytes, including `first`.
inline size_t SizeOfVInt(char first) {
  const auto byte = static_cast<uint8_t>(first);
  return byte == 0xff ? 9
                      : 1 + static_cast<size_t>(__builtin_clz(
                                ~(static_cast<unsigned>(byte) << 24)));
}

// `vint`: all bytes of the vint.
inline uint64_t DecodeVInt(std::string_view vint) {
  uint64_t number =
      static_cast<uint8_t>(vint[0]) & (0xffU >> (vint.size() - 1));
  for (const char byte : vint.substr(1)) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return number;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_VINT_H_
