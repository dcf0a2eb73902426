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
#include <functional>
#include <set>
#include <string>

#include "filterdb/mending/before_install.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

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

// `progress` is called with the share of the work that is done, from 0 to 1.
InstallSums Install(const RunFolder& run, const InstallOptions& options,
                    const OnOutcome& on_outcome,
                    const std::function<void(double share)>& progress);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_INSTALL_H_
