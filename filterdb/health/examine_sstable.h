// SPDX-License-Identifier: Apache-2.0

// Examines the filter of an SSTable. Compares it with the keys and the planned
// false positive rate of the SSTable. Writes no file.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_

#include <functional>
#include <optional>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Called with the share of the keys, from 0 to 1, that was read since the last
// call.
using OnProgress = std::function<void(double share)>;

// `fp_chance` is the planned false positive rate if the SSTable does not tell
// one. Several threads may call this function at once.
FilterFinding ExamineSstable(const Sstable& sstable,
                             std::optional<double> fp_chance,
                             const OnProgress& on_progress);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
