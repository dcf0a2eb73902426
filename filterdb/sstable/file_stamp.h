// SPDX-License-Identifier: Apache-2.0

// Tells whether the files of an SSTable have changed.
// Tested in filterdb/tests/commands/mend/kill_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_FILE_STAMP_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_FILE_STAMP_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// The inode, the size, and the time in seconds and nanoseconds of a file. All
// are 0 if there is no file.
using FileStamp = std::tuple<ino_t, off_t, int64_t, int64_t>;

inline FileStamp StampOf(const std::string& path) {
  struct stat status = {};
  lstat(path.c_str(), &status);
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

// The stamps of the files that `filterdb mend` reads or changes. The first is
// that of Data.db.
inline std::vector<FileStamp> StampsOf(const Sstable& sstable) {
  return {StampOf(sstable.Path("Data.db")), StampOf(sstable.IndexPath()),
          StampOf(sstable.Path("Filter.db")), StampOf(sstable.Path("TOC.txt")),
          StampOf(sstable.Path("Scylla.db"))};
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_FILE_STAMP_H_
