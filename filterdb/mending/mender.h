// SPDX-License-Identifier: Apache-2.0

// Builds new filters for the SSTables that need one, and puts them in place, or
// into another folder.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

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
  bool dry_run = false;
  // What the user says about the node, for file systems where the kernel does
  // not know.
  bool node_is_down = false;
};

// Returns whether there is something to do, or to say, about the SSTable.
bool HasMendWork(const Examined& examined);

// Mends the SSTables one after another. If a process has one of them open, ends
// the run there: the outcome of the others is kNotDone. Calls `on_outcome` for
// each SSTable with work.
void MendAll(const std::vector<Examined>& sstables, const MendPlan& plan,
             const OnOutcome& on_outcome);

// Removes temporary files that killed runs have left in the folders of
// SSTables, even of those that need no mend. The reason is that ScyllaDB does
// not start if such a file is still there after its SSTable was removed.
void RemoveLeftOvers(const std::set<std::string>& folders);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MENDER_H_
