// SPDX-License-Identifier: Apache-2.0

// What the filters of many SSTables cost now, and after `filterdb mend`.
// Tested in filterdb/tests/health/finding_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_

#include <cstdint>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

struct Totals {
  void Add(const Examined& sstable);

  // These two are in no other number.
  uint64_t num_left_out = 0;  // SSTables being written, obsolete or vanished.
  uint64_t num_not_known = 0;

  uint64_t num_sstables = 0;
  uint64_t num_faulty = 0;
  uint64_t num_not_confirmed = 0;  // Their index may lack keys.
  uint64_t num_unread = 0;         // Their keys could not be read.
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  // The memory of all filters in bytes, now and after `filterdb mend`.
  uint64_t filter_bytes = 0;
  uint64_t mended_filter_bytes = 0;
  // The number of filters that only `mend --oversized` rebuilds, and the bytes
  // of memory that this frees.
  uint64_t num_oversized = 0;
  uint64_t freed_bytes = 0;
  // How many SSTables are read, on average, for a key that no SSTable has.
  double reads = 0;
  double mended_reads = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_
