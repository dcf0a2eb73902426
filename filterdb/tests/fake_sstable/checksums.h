// SPDX-License-Identifier: Apache-2.0

// The checksums of SSTables, as Java computes them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_

#include <cstdint>
#include <string_view>

namespace cassandra_bloom::testing {

uint32_t Crc32(std::string_view bytes);
uint32_t Crc32C(std::string_view bytes);
uint32_t Adler32(std::string_view bytes);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
