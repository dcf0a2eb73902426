// SPDX-License-Identifier: Apache-2.0

// What `filterdb mend` or `filterdb install` did with an SSTable.
// Tested in filterdb/tests/commands/mend/faults_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_OUTCOME_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_OUTCOME_H_

#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "filterdb/health/harm.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

struct Outcome {
  enum Kind {
    // Of a mend.
    kBuilt,  // A new filter is in the run folder.
    // Of an install, or its undo.
    kInstalled,
    kWouldInstall,
    kPutBack,
    kWouldPutBack,
    kUnchanged,   // It is so already, or there is nothing to put back.
    kGone,        // The SSTable is not there any more.
    kInUse,       // A process has it open.
    kForeign,     // Its filter is neither the old one nor the new one.
    kNotListed,   // An SSTable that came after the mend, and does harm.
    kNotChanged,  // The install ended before this SSTable.
    // Of both.
    kLeft,
    kFailed,
  };

  Kind kind = kLeft;
  std::string path;        // The path of the SSTable's Filter.db.
  std::string verdict;     // Such as "keys missing".
  std::string note;        // Why, or what else is to be said.
  Harms left;              // The harm that is left in the folder.
  uint64_t num_keys = 0;   // Of a filter that was built.
  uint64_t num_bytes = 0;  // The size of this filter.
};

// Such as "built".
inline const char* NameOf(Outcome::Kind kind) {
  constexpr const char* kNames[] = {"built",
                                    "installed",
                                    "would be installed",
                                    "put back",
                                    "would be put back",
                                    "unchanged",
                                    "gone",
                                    "in use",
                                    "foreign",
                                    "not listed",
                                    "not changed",
                                    "left",
                                    "failed"};
  return kNames[kind];
}

// Called with each outcome when it is known, in one thread at a time.
using OnOutcome = std::function<void(const Outcome& outcome)>;

// Thrown to end the work on one SSTable, where that is no failure.
struct End {
  Outcome::Kind kind;
  std::string reason;
};

[[noreturn]] inline void Leave(const std::string& reason) {
  throw End{Outcome::kLeft, reason};
}

[[noreturn]] inline void Fail(const std::string& error) {
  throw std::runtime_error(error);
}

// Fails with `path`, `what` and the message for errno.
[[noreturn]] inline void FailAt(const std::string& path, const char* what) {
  std::string error;
  FailWithErrno(path, what, &error);
  Fail(error);
}

// Does `work` on an SSTable. If it throws, sets the kind and the note of the
// outcome to that, and returns false.
inline bool Try(Outcome* outcome, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const End& end) {
    outcome->kind = end.kind;
    outcome->note = end.reason;
  } catch (const std::bad_alloc&) {
    outcome->kind = Outcome::kFailed;
    outcome->note = outcome->path + ": not enough memory";
  } catch (const std::exception& error) {
    outcome->kind = Outcome::kFailed;
    outcome->note = error.what();
  }
  return false;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_OUTCOME_H_
