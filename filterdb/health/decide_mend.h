// SPDX-License-Identifier: Apache-2.0

// Decides what `filterdb mend` does about an SSTable. Dry runs and `filterdb
// scan` use the same decision. DecideMend reads no file.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_

#include <optional>
#include <string>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

struct MendOptions {
  // If set, replaces the planned false positive rate of each SSTable.
  std::optional<double> fp_chance;
  // Whether oversized filters are rebuilt, too.
  bool oversized = false;
};

struct MendDecision {
  enum Kind {
    kNothing,      // There is nothing to mend.
    kMakeAnew,     // Build a new filter for `fp_chance`.
    kCompleteToc,  // Only add the line Filter.db to TOC.txt.
    kLeave,        // Do not mend the fault, because of `reason`.
  };

  Kind kind = kNothing;
  double fp_chance = 0;
  std::string reason;
};

MendDecision DecideMend(const FilterFinding& finding,
                        const MendOptions& options);

// Returns why files of this SSTable may not be changed, or "" if they may.
std::string ReasonNotToTouch(const Sstable& sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_
