// SPDX-License-Identifier: Apache-2.0

// Decides what mending does about an SSTable. The sums of scan, dry runs and
// mend all use DecideMend. It looks at no file: what may prevent a change in
// the folder of the filter is found out later.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DECIDE_MEND_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DECIDE_MEND_H_

#include <optional>
#include <string>

#include "tools/sstable/health/finding.h"

namespace cassandra_bloom::tools {

struct MendOptions {
  // If set, used instead of the planned chance of each SSTable.
  std::optional<double> fp_chance;
  // Also make oversized filters anew.
  bool oversized = false;
};

struct MendDecision {
  enum Kind {
    kNothing,      // There is nothing to mend.
    kMakeAnew,     // Make the filter anew, with `fp_chance`.
    kCompleteToc,  // The filter is good, but TOC.txt does not name it.
    kLeave,        // There is a fault, but `reason` forbids mending it.
  };

  Kind kind = kNothing;
  double fp_chance = 0;
  std::string reason;
};

MendDecision DecideMend(const FilterFinding& finding,
                        const MendOptions& options);

// Why mending and undoing may not change files of this SSTable; empty if they
// may.
std::string ReasonNotToTouch(const Sstable& sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DECIDE_MEND_H_
