// SPDX-License-Identifier: Apache-2.0

// Puts the new filters of a run in place, or the old ones back. The node must
// be down.
//
// An SSTable of the list is found by its Data.db and index, not by its path:
// ScyllaDB gives it a new generation by hard links, and moves it out of
// staging. All its names outside of snapshots and backups are changed. Each of
// its files is judged by its content, so an install or an undo that was killed
// is finished by the same line.
// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.
// Tested in filterdb/tests/commands/mend/kill_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_INSTALL_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_INSTALL_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

struct InstallOptions {
  bool undo = false;
  bool dry_run = false;     // Only says what would be done. The node may run.
  bool after_mend = false;  // What the mend left was reported by it.
  // What the user says about the node, for file systems where the kernel does
  // not know.
  bool node_is_down = false;
};

struct InstallSums {
  uint64_t num_listed = 0;  // With work for an install.
  // Folders of snapshots and backups, which keep the old filters.
  std::set<std::string> snapshots;
  // Of a rehearsal: why the install would not begin, or "".
  std::string warning;
  // Whether the install ended at an SSTable that a process has open.
  bool has_ended = false;
};

// Throws a std::runtime_error if there is a reason not to begin.
InstallSums Install(const RunFolder& run, const InstallOptions& options,
                    const OnOutcome& on_outcome);

// ---- One table (table_install.cc) ----

// Returns the folder of the table, for its own folder or one beside it.
std::string TableOf(const std::string& folder);

// `lines` are those of SSTables that were in the folders of `table`. Returns
// the SSTables in these folders that they do not name.
std::vector<Sstable> InstallTable(const RunFolder& run,
                                  const InstallOptions& options,
                                  const std::string& table,
                                  const std::vector<const RunLine*>& lines,
                                  const OnOutcome& on_outcome,
                                  InstallSums* sums);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_INSTALL_H_
