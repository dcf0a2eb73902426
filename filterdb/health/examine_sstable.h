// SPDX-License-Identifier: Apache-2.0

// Examines the filter of an SSTable. Compares it with the keys and the planned
// false positive rate of the SSTable. Writes no file.
// Tested in filterdb/tests/health/examine_all_test.cc.
// Tested in filterdb/tests/commands/mend/faults_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// If the SSTable has no Data.db, a node may be removing or writing it, which
// only shows later (ExamineAll). Several threads may call this function at
// once.
Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_SSTABLE_H_
