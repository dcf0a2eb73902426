// SPDX-License-Identifier: Apache-2.0

// What the list and the files of a run mean for one SSTable. Functions that
// fail throw an End.
// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FILES_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FILES_H_

#include <cstdint>
#include <string>

#include "filterdb/mending/place.h"
#include "filterdb/mending/run_folder.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

class RunFiles {
 public:
  RunFiles(const RunFolder& run, bool dry_run) : run_(run), dry_run_(dry_run) {}

  // Returns what an install changes, judged by the present filter.
  Change ChangeOf(const RunLine& line, const Sstable& sstable) const;
  // Returns what its undo changes.
  Change ChangeBack(const RunLine& line, const Sstable& sstable) const;
  // Keeps the old filter, whose path is `old_filter`.
  void KeepOld(const RunLine& line, const std::string& old_filter) const;

 private:
  WriteContent Copy(const std::string& from, uint32_t listed) const;
  bool HasTimeOfRun(const std::string& filter) const;

  const RunFolder& run_;
  const bool dry_run_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FILES_H_
