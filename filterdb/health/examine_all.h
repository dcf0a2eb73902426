// SPDX-License-Identifier: Apache-2.0

// Examines many SSTables at once, in several threads.
// Tested in filterdb/tests/commands/scan/scan_test.cc.
// Tested in filterdb/tests/commands/scan/chunk_memory_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Called several times a second with the bytes read so far, and all bytes to
// read.
using OnBytesRead = std::function<void(uint64_t done, uint64_t all)>;

// Examines SSTables with `jobs` threads. Returns the findings in the order of
// `sstables`. Calls `on_bytes_read` in the caller's thread.
std::vector<FilterFinding> ExamineAll(const std::vector<Sstable>& sstables,
                                      std::optional<double> fp_chance,
                                      unsigned jobs,
                                      const OnBytesRead& on_bytes_read);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
