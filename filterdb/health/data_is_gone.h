// SPDX-License-Identifier: Apache-2.0

// Finds out whether a node is removing or writing SSTables without a Data.db.
// Tested in filterdb/tests/health/examine_all_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_DATA_IS_GONE_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_DATA_IS_GONE_H_

#include <vector>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// Sets the state of each SSTable that has no Data.db, or had none when it was
// examined, if a node is removing or writing it. The others stay as they are.
//
// If Cassandra is removing one: Data.db is removed first (SSTable.delete). A
// transaction log lists the SSTable until all files are removed. Cassandra 2.x
// has no such logs. So this function waits 200 ms, once for all of them, for
// the other files to be removed, too. What is then still there is no SSTable
// that a node removes, but a damaged one.
//
// If ScyllaDB is removing one: TOC.txt.tmp is there until all files are removed
// (see examine_sstable.cc).
//
// If Cassandra 2.x is writing one: Data.db gets its name last
// (SSTableWriter.rename). So Data.db may appear in these 200 ms.
void FindOutWhyDataIsGone(std::vector<Examined>* sstables);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_DATA_IS_GONE_H_
