// SPDX-License-Identifier: Apache-2.0

// Decides what mending does about an SSTable. Scan's sums, dry runs and mend
// all ask this function. It looks at no file: obstacles in the folder where the
// filter is to go are found later.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DECIDE_MEND_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DECIDE_MEND_H_

#include <optional>
#include <string>

#include "tools/sstable/health/finding.h"

namespace cassandra_bloom::tools {

struct MendOptions {
  // Used instead of the plan of each SSTable, if set.
  std::optional<double> fp_chance;
};

struct MendDecision {
  enum Kind {
    kNothing,      // There is nothing to mend.
    kMakeAnew,     // Make the filter anew, with `fp_chance`.
    kCompleteToc,  // The filter is good; only TOC.txt does not name it.
    kLeave,        // There is a fault, but it is left, for `reason`.
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
