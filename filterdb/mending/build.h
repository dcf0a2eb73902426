// SPDX-License-Identifier: Apache-2.0

// Builds new filters for the SSTables that need one, into the folder of a run.
// Changes nothing else, so the node may run.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_

#include "filterdb/health/finding.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

// Builds the filter of an SSTable, if it needs one, and adds a line to the list
// of the run. May be called in several threads at once.
Outcome BuildIntoRun(const Examined& examined, RunFolder* run);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_BUILD_H_
