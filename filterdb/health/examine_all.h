// SPDX-License-Identifier: Apache-2.0

// Examines many SSTables at once, in several threads.
// Tested in filterdb/tests/health/examine_all_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_

#include <functional>
#include <vector>

#include "filterdb/health/examine_sstable.h"
#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Called with the share of the work that is done, from 0 to 1.
using OnShareDone = std::function<void(double share)>;

// Examines SSTables with `jobs` threads. Returns the results in the order of
// `sstables`. Calls `on_share_done` after each SSTable, in one thread at a
// time.
//
// The SSTables that are examined at the same time take at most 256 MiB for
// their filters. One that needs more is examined alone. Besides, each thread
// takes some MB, most of it for two chunks of Data.db (kMaxChunkSize). A
// Scylla.db takes up to kMaxScyllaDbSize, and the deepest trie 6 MiB.
std::vector<Examined> ExamineAll(const std::vector<Sstable>& sstables,
                                 const ExamineOptions& options, unsigned jobs,
                                 const OnShareDone& on_share_done);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
