// SPDX-License-Identifier: Apache-2.0

// The outcome of `filterdb mend`, or of its undo, for one SSTable.
// Tested in filterdb/tests/commands/mend/faults_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_

#include <cstdint>
#include <functional>
#include <string>

#include "filterdb/health/finding.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

struct MendOutcome {
  enum Kind {
    kMended,
    kWritten,  // The new filter is in --out-dir. The old one is still used.
    kWouldMend,
    kUndone,
    kWouldUndo,
    kUnchanged,  // An undo has nothing to put back: see UndoRun.
    kLeft,
    kFailed,
    kNotKnown,     // Its version is not known, or its keys are not confirmed.
    kNotExamined,  // Being written, obsolete or vanished.
    kNotDone,      // The run ended before this SSTable.
  };

  Kind kind = kMended;
  std::string filter;                  // The path of the SSTable's Filter.db.
  const Examined* examined = nullptr;  // Null after an undo.
  // Why the SSTable was left, is unchanged or has failed, or what else is to be
  // said. Only a failure names files.
  std::string note;
  std::string out;    // The file in --out-dir.
  uint64_t size = 0;  // The size of the new filter in bytes, if one was made.
};

// Called with each outcome when it is known.
using OnOutcome = std::function<void(const MendOutcome& outcome)>;

// Thrown to end the work on one SSTable.
struct MendEnd {
  MendOutcome::Kind kind;
  std::string reason;
  bool ends_run = false;
};

[[noreturn]] inline void Leave(const std::string& reason) {
  throw MendEnd{MendOutcome::kLeft, reason};
}

[[noreturn]] inline void Fail(const std::string& error) {
  throw MendEnd{MendOutcome::kFailed, error};
}

// Fails with `path`, `what` and the message for errno.
[[noreturn]] inline void FailAt(const std::string& path, const char* what) {
  std::string error;
  FailWithErrno(path, what, &error);
  Fail(error);
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_OUTCOME_H_
