// SPDX-License-Identifier: Apache-2.0

// Puts the old filters of a run of `filterdb mend` back.
// Tested in filterdb/tests/commands/mend/mend_undo_test.cc.
// Tested in filterdb/tests/commands/mend/mend_kill_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_UNDO_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_UNDO_H_

#include <string>
#include <vector>

#include "filterdb/mending/mend_outcome.h"
#include "filterdb/mending/run_backup.h"

namespace cassandra_bloom::tools {

struct UndoPlan {
  std::string run;  // The folder B/TIME.
  bool dry_run = false;
  bool node_is_down = false;  // See MendPlan.
};

// A filter is put back only if the present one is that of this run, beside the
// same index. Everything else is left, with the reason. Of several runs that
// have replaced a filter, the last one must be undone first. Calls `on_outcome`
// for each filter that is still in the backup. If a process has an SSTable
// open, ends there.
//
// Filters that were made where there was none stay, and so do completed TOC.txt
// files. If a mend was killed while it changed an SSTable of ScyllaDB, its
// digests are made right.
void UndoRun(const std::vector<MendedFilter>& filters, const UndoPlan& plan,
             const OnOutcome& on_outcome);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_UNDO_H_
