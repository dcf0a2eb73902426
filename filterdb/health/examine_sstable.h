// SPDX-License-Identifier: Apache-2.0

// Examines the filter of an SSTable. Compares it with the keys and the planned
// false positive rate of the SSTable. Writes no file.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_

#include <functional>
#include <optional>

#include "filterdb/health/finding.h"
#include "filterdb/health/obstacles.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

struct ExamineOptions {
  // The planned false positive rate of an SSTable that does not tell one.
  std::optional<double> default_fp_chance;
  MendMeans means;
};

// Called with the share of the keys, from 0 to 1, that was read since the last
// call.
using OnProgress = std::function<void(double share)>;

// Sets `*data_is_gone` if the SSTable has no Data.db, or had none at first. A
// node may then be removing or writing the SSTable, which only shows later: see
// FindOutWhyDataIsGone. Several threads may call this function at once.
Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options,
                        const OnProgress& on_progress, bool* data_is_gone);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
