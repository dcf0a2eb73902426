// SPDX-License-Identifier: Apache-2.0

// Examines SSTables: one, or many at once in several threads.
// Tested in filterdb/tests/health/examine_all_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_

#include <cstddef>
#include <functional>
#include <optional>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Compares the filter of an SSTable with the keys and the planned false
// positive rate of the SSTable. Writes no file. If the SSTable has no Data.db,
// a node may be removing or writing it, which only shows later (ExamineAll).
// Several threads may call this function at once.
Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options);

struct ExamineJob {
  // Returns the next SSTable, or nothing at the end. Called in one thread at a
  // time.
  std::function<std::optional<Sstable>()> next;
  ExamineOptions options;
  unsigned num_threads = 1;
  // More work on an examined SSTable, in several threads at once. May be null.
  std::function<void(const Examined& sstable)> work;
  // Takes the result, after `work`. Called in one thread at a time, in the
  // order of `next`, but for SSTables that may be being written or removed:
  // those come later, when that is known.
  std::function<void(const Examined& sstable)> done;
};

// No memory grows with the number of SSTables. Each thread holds a filter, and
// some MB, most of it for two chunks of Data.db (kMaxChunkSize). A Scylla.db
// takes up to kMaxScyllaDbSize, and the deepest trie 6 MiB.
void ExamineAll(const ExamineJob& job);

// Calls `work` in this thread and, at the same time, in others. If they cannot
// be started, also for want of memory, those that could do all the work.
void InThreads(size_t num_threads, const std::function<void()>& work);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_EXAMINE_ALL_H_
