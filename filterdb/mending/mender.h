// SPDX-License-Identifier: Apache-2.0

// Builds new filters for the SSTables that need one, and puts them in place, or
// into another folder. Puts the old filters of a run back.
// Tested in filterdb/tests/commands/mend/mend_test.cc.
// Tested in filterdb/tests/commands/mend/mend_undo_test.cc.
// Tested in filterdb/tests/commands/mend/mend_kill_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_

#include <set>
#include <string>
#include <vector>

#include "filterdb/health/finding.h"
#include "filterdb/mending/mend_outcome.h"
#include "filterdb/mending/run_backup.h"

namespace cassandra_bloom::tools {

struct MendPlan {
  std::string out_dir;  // If empty, new filters replace the old ones.
  // Where the old filters are kept. Null to keep none.
  RunBackup* backup = nullptr;
  std::string undo;  // For UndoRun: the folder B/TIME of the run.
  bool dry_run = false;
  // What the user says about the node, for file systems where the kernel does
  // not know.
  bool node_is_down = false;
};

// Returns whether a folder has a file of an SSTable other than a Filter.db. (An
// --out-dir has only these.)
bool HoldsSstables(const std::string& folder);

// Mends the SSTables one after another. If a process has one of them open, ends
// the run there: the outcome of the others is kNotDone. Calls `on_outcome` for
// each SSTable with something to do or to say, and for those that were not
// examined.
void MendAll(const std::vector<Examined>& sstables, const MendPlan& plan,
             const OnOutcome& on_outcome);

// Returns the paths of temporary files that killed runs have left in `folders`.
// If a mend is running, also returns those that it is writing.
std::vector<std::string> LeftOversIn(const std::set<std::string>& folders);

// Removes temporary files that killed runs have left in the folders of
// SSTables, even of those that need no mend. The reason is that ScyllaDB does
// not start if such a file is still there after its SSTable was removed.
void RemoveLeftOvers(const std::set<std::string>& folders);

// Undoes the run whose list has `filters`. A filter is put back only if the
// present one is that of this run, beside the same index. Everything else is
// left, with the reason. Of several runs that have replaced a filter, the last
// one must be undone first. If a process has an SSTable open, ends there.
//
// Filters that were made where there was none stay, and so do completed TOC.txt
// files. If a mend was killed while it changed an SSTable of ScyllaDB, its
// digests are made right. Calls `on_outcome` for each filter but those that are
// back already.
void UndoRun(const std::vector<MendedFilter>& filters, const MendPlan& plan,
             const OnOutcome& on_outcome);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_
