// SPDX-License-Identifier: Apache-2.0

// The checksums of SSTables, as java.util.zip computes them.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CHECKSUMS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CHECKSUMS_H_

#include <cstdint>
#include <string_view>

namespace cassandra_bloom::testing {

// `before` is the checksum of the bytes before `bytes`.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);
uint32_t Crc32C(std::string_view bytes);
uint32_t Adler32(std::string_view bytes, uint32_t before = 1);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_CHECKSUMS_H_
