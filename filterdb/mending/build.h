// SPDX-License-Identifier: Apache-2.0

// Builds new filters for the SSTables that need one, into the folder of a run.
// Changes nothing else, so the node may run.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_

#include <map>
#include <mutex>
#include <string>

#include "filterdb/health/finding.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

class RunBuilder {
 public:
  // Calls `on_outcome` for each SSTable with something to do or to say.
  RunBuilder(RunFolder* run, OnOutcome on_outcome);

  // Builds the filter of an SSTable, if it needs one, and adds a line to the
  // list. May be called in several threads at once.
  void Build(const Examined& examined);

  // How many lines of the list have work for an install.
  uint64_t num_built() const { return num_built_; }

 private:
  void Add(const Examined& examined, Outcome outcome, const RunLine& line);
  void Make(const Examined& examined, Outcome* outcome, RunLine* line);
  bool WasBuiltBefore(RunLine* line) const;

  RunFolder* const run_;
  const OnOutcome on_outcome_;
  // What an earlier, killed run of the same line has built, by the path.
  std::map<std::string, RunLine> built_before_;
  std::mutex mutex_;  // For the number, for the list and on_outcome_.
  uint64_t num_built_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_
