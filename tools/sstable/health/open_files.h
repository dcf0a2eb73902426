// SPDX-License-Identifier: Apache-2.0

// Finds out which files are in use, so that the SSTables of a node that runs
// are left alone.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_OPEN_FILES_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_OPEN_FILES_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>

namespace cassandra_bloom::tools {

// The files that processes have open: for root those of all processes (in the
// same container), for others those of their own.
class OpenFiles {
 public:
  OpenFiles();  // Lists them now, from /proc.

  // The number of another process that has this file open, or 0.
  pid_t UserOf(const std::string& path) const;

 private:
  std::map<std::pair<dev_t, ino_t>, pid_t> users_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_OPEN_FILES_H_
