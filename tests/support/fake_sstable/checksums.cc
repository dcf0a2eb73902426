// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/checksums.h"

#include <array>
#include <cstddef>

namespace cassandra_bloom::testing {
namespace {

constexpr std::array<uint32_t, 256> MakeCrcOfByte() {
  std::array<uint32_t, 256> crc_of_byte{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    crc_of_byte[byte] = crc;
  }
  return crc_of_byte;
}

}  // namespace

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  static constexpr std::array<uint32_t, 256> kCrcOfByte = MakeCrcOfByte();
  uint32_t crc = ~before;
  for (const char c : bytes) {
    crc = (crc >> 8) ^ kCrcOfByte[(crc ^ static_cast<uint8_t>(c)) & 0xff];
  }
  return ~crc;
}

uint32_t Adler32(std::string_view bytes, uint32_t before) {
  constexpr uint32_t kModulus = 65521;
  uint32_t sum = before & 0xffff;
  uint32_t sum_of_sums = before >> 16;
  for (const char c : bytes) {
    sum = (sum + static_cast<uint8_t>(c)) % kModulus;
    sum_of_sums = (sum_of_sums + sum) % kModulus;
  }
  return (sum_of_sums << 16) | sum;
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
