// SPDX-License-Identifier: Apache-2.0

// The backup of a run of `filterdb mend`: a new folder B/TIME, for each
// --backup-dir=B. It has the old Filter.db and Scylla.db files under their
// absolute paths, and a list with a line for each SSTable:
//
//   filterdb mend 1
//   0123abcd 0123abcd 0123abcd /var/lib/cassandra/data/ks/t/nb-1-big-Filter.db
//
// The first line ends with the version of the format. The other lines have the
// CRC-32 values of the index (Index.db or Partitions.db), of the old filter and
// of the new filter. If there was no filter, the second value is "-". The index
// tells the SSTable from another one that had its name.
//
// A line and the old files are on disk before the filter is replaced. A line at
// the end that is cut is one whose filter was not replaced. When an undo has
// put an old filter back, it removes it from B/TIME. The old Scylla.db files
// are there for the user alone.
// Tested in filterdb/tests/mending/run_backup_test.cc.
// Tested in filterdb/tests/commands/mend/mend_undo_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_BACKUP_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_BACKUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Returns the CRC-32 of a file. Throws a MendEnd if it cannot be read.
uint32_t CrcOrFail(const std::string& path);

// Returns whether this process may create files in the folder, and make it if
// it is not there.
bool CanMake(const std::string& folder, std::string* error);

// Functions that fail throw a MendEnd.
class RunBackup {
 public:
  // The first Keep makes the folder B/TIME in `parent`.
  explicit RunBackup(std::string parent) : parent_(std::move(parent)) {}

  // Returns "" if Keep has not made the folder yet.
  const std::string& folder() const { return folder_; }

  // Keeps the old files of an SSTable. `new_filter` is the CRC-32 of the new
  // filter. If it is empty, the filter will not be replaced, and is not kept.
  // A failure of the backup ends the run, because the next SSTable would have
  // it, too. A file of the SSTable that cannot be read does not.
  void Keep(const Sstable& sstable, std::optional<uint32_t> new_filter);

 private:
  void MakeFolder();

  const std::string parent_;
  std::string folder_;
};

// A line of the list.
struct MendedFilter {
  std::string path;  // The absolute path of Filter.db.
  uint32_t index = 0;
  std::optional<uint32_t> old_filter;
  uint32_t new_filter = 0;
};

// Reads the list of the run whose backup is `folder`. Returns nothing, and sets
// `*error`, if it cannot be read or is damaged.
std::optional<std::vector<MendedFilter>> ReadRunList(const std::string& folder,
                                                     std::string* error);

// Returns the path, in the backup `folder`, of the file with the absolute path
// `path`.
inline std::string PathInBackup(const std::string& folder,
                                const std::string& path) {
  return folder + path;
}

// Returns the backups beside `folder` of later runs, the last one first.
std::vector<std::string> LaterRuns(const std::string& folder);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_BACKUP_H_
