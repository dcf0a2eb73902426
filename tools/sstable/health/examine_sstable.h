// SPDX-License-Identifier: Apache-2.0

// Examines the filter of an SSTable: reads the filter, asks it for every key of
// the SSTable, and compares its size and rate with the plan. Opens nothing for
// writing.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_EXAMINE_SSTABLE_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_EXAMINE_SSTABLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cassandra_bloom/key_reader.h"
#include "tools/sstable/checked_index_db.h"
#include "tools/sstable/health/finding.h"

namespace cassandra_bloom::tools {

// Called with the share of the SSTable's keys that were read since the last
// call, from 0 to 1.
using OnProgress = std::function<void(double share)>;

// `fp_chance` is the plan for an SSTable that does not tell its own. Safe to
// call from several threads.
FilterFinding ExamineSstable(const Sstable& sstable,
                             std::optional<double> fp_chance,
                             const OnProgress& on_progress);

// Opens the keys of an SSTable.
std::unique_ptr<KeyReader> OpenKeysOf(const Sstable& sstable, KeyChecks checks,
                                      std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_EXAMINE_SSTABLE_H_
