// SPDX-License-Identifier: Apache-2.0

// The checksums of SSTables, as Java computes them.

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

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_CHECKSUMS_H_
