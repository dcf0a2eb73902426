// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_LOG_RECORD_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_LOG_RECORD_H_

#include <cstdint>
#include <string>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

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

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_LOG_RECORD_H_
