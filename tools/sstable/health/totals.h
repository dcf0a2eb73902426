// SPDX-License-Identifier: Apache-2.0

// What the filters of many SSTables cost together, now and after mending.
// Tested in tests/filterdb/scan/scan_test.cc.
// Tested in tests/sstable/health/decide_mend_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOTALS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOTALS_H_

#include <cstdint>

#include "tools/sstable/health/finding.h"

namespace cassandra_bloom::tools {

// The cost of the filters of one table, or of all tables together.
struct Totals {
  void Add(const FilterFinding& finding);

  uint64_t num_sstables = 0;
  uint64_t num_faulty = 0;
  uint64_t num_left_out = 0;  // Being written, obsolete or vanished.
  uint64_t num_unread = 0;    // Their keys could not be read.
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  // The memory of all filters in bytes, now and after mending (DecideMend).
  uint64_t filter_bytes = 0;
  uint64_t mended_filter_bytes = 0;
  // The filters that only mend --oversized makes anew, and the memory in bytes
  // that this frees.
  uint64_t num_oversized = 0;
  uint64_t freed_bytes = 0;
  // For a key that no SSTable has: the expected number of SSTables that are
  // read, now and after mending.
  double reads = 0;
  double mended_reads = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOTALS_H_
