// SPDX-License-Identifier: Apache-2.0

// The decision about an SSTable in the words that filterdb/mending still uses.
// It goes when that code reads Examined::action.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_

#include <optional>
#include <string>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

struct MendOptions {
  std::optional<double> fp_chance;
  bool oversized = false;
};

struct MendDecision {
  enum Kind { kNothing, kMakeAnew, kCompleteToc, kLeave };

  Kind kind = kNothing;
  double fp_chance = 0;
  std::string reason;
};

inline MendDecision DecideMend(const Examined& sstable, const MendOptions&) {
  if (sstable.sstable.state != SstableState::kLive) {
    return {};
  }
  switch (sstable.action()) {
    case Action::kNone:
      return {};
    case Action::kCompleteToc:
      return {MendDecision::kCompleteToc, 0, ""};
    case Action::kMend:
      return {MendDecision::kMakeAnew, *sstable.plan, ""};
    case Action::kLeave:
    case Action::kNotKnown:
      return {MendDecision::kLeave, 0, sstable.ReasonToLeave()};
  }
  return {};
}

// Returns why files of this SSTable may not be changed, or "" if they may.
inline std::string ReasonNotToTouch(const Sstable& sstable) {
  return sstable.time_is_logged ? "a transaction log holds the times of its "
                                  "files; start the node once, then mend"
                                : sstable.unread_log;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_DECIDE_MEND_H_
