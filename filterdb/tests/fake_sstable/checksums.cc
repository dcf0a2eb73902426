// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/checksums.h"

#include <zlib.h>

namespace cassandra_bloom::testing {
namespace {

const Bytef* BytesOf(std::string_view bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, BytesOf(bytes), bytes.size()));
}

uint32_t Adler32(std::string_view bytes) {
  return static_cast<uint32_t>(adler32_z(1, BytesOf(bytes), bytes.size()));
}

uint32_t Crc32C(std::string_view bytes) {
  uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      sum = sum % 2 == 0 ? sum / 2 : (sum / 2) ^ 0x82f63b78;
    }
  }
  return ~sum;
}

}  // namespace cassandra_bloom::testing
