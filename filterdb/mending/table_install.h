// SPDX-License-Identifier: Apache-2.0

// Installs a run, or undoes it, in the folders of one table.
// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.
// Tested in filterdb/tests/commands/mend/kill_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_TABLE_INSTALL_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_TABLE_INSTALL_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

struct InstallOptions {
  bool undo = false;
  bool dry_run = false;  // Only says what would be done. The node may run.
  // What the user says about the node, for file systems where the kernel does
  // not know.
  bool node_is_down = false;
};

struct InstallSums {
  uint64_t num_gone = 0;
  uint64_t num_listed = 0;  // With work for an install.
  // Folders of snapshots, which keep the old filters.
  std::set<std::string> snapshots;
  // Whether the install ended at an SSTable that a process has open.
  bool has_ended = false;
  // Not "" if nothing was changed, and nothing was looked at.
  std::string refusal;
};

// Returns the folder of the table, for its own folder or one beside it.
std::string TableOf(const std::string& folder);

// `lines` are those of SSTables that were in the folders of `table`.
void InstallTable(const RunFolder& run, const InstallOptions& options,
                  const std::string& table,
                  const std::vector<const RunLine*>& lines,
                  const OnOutcome& on_outcome, InstallSums* sums);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_TABLE_INSTALL_H_
