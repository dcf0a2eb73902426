// SPDX-License-Identifier: Apache-2.0

// What the filters of many SSTables cost now, and after a mend; how many do
// which harm; and what they would cost with other chances.
// Tested in filterdb/tests/health/finding_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

struct FilterCost {
  uint64_t bytes = 0;  // Of memory, of all filters.
  // How many SSTables are read, on average, for a key that no SSTable has.
  double reads = 0;
};

struct Totals {
  // Without `chances`, `with_chances` stays empty.
  void Add(const Examined& sstable, const std::vector<double>& chances);
  uint64_t num_with(Harm harm) const {
    return by_harm[static_cast<size_t>(harm)];
  }

  // SSTables being written, obsolete or vanished. These are in no other number.
  uint64_t num_left_out = 0;

  uint64_t num_sstables = 0;
  // By Harm: SSTables with a finding of this harm. kNone: those without any.
  std::array<uint64_t, 8> by_harm = {};
  Harms harms;
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  FilterCost now;
  FilterCost mended;
  uint64_t freed_bytes = 0;  // What only `mend --oversized` frees.
  std::vector<FilterCost> with_chances;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_TOTALS_H_
