// SPDX-License-Identifier: Apache-2.0

// The outcome of `filterdb mend`, or of its undo, for one SSTable.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_

#include <cstdint>
#include <string>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

struct MendOutcome {
  enum Kind {
    kMended,
    kWouldMend,
    kLeft,
    kFailed,
    kUndone,
    kNotDone,  // The run was stopped before this SSTable.
  };

  Kind kind = kMended;
  std::string filter;  // The path of the SSTable's Filter.db.
  const FilterFinding* finding = nullptr;  // Null after Undo.
  std::string reason;     // Why the SSTable was left, or has failed.
  std::string out;        // The file that was or would be written.
  uint64_t size = 0;      // The size of the new filter in bytes.
  bool only_toc = false;  // Only TOC.txt was or would be changed.
};

// Thrown to end the work on one SSTable. Mender stores it as the outcome.
struct MendEnd {
  MendOutcome::Kind kind;
  std::string reason;
};

[[noreturn]] inline void Leave(const std::string& reason) {
  throw MendEnd{MendOutcome::kLeft, reason};
}

[[noreturn]] inline void Fail(const std::string& error) {
  throw MendEnd{MendOutcome::kFailed, error};
}

// LeaveFor and FailFor do nothing if `reason` is empty.
inline void LeaveFor(const std::string& reason) {
  if (!reason.empty()) {
    Leave(reason);
  }
}

inline void FailFor(const std::string& reason) {
  if (!reason.empty()) {
    Fail(reason);
  }
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_
