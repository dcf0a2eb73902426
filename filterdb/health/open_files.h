// SPDX-License-Identifier: Apache-2.0

// Finds out which files are in use, so that `filterdb mend` does not change the
// SSTables of a running node.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_OPEN_FILES_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_OPEN_FILES_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <utility>

namespace cassandra_bloom::tools {

// Whether this process has a capability, such as CAP_CHOWN (capabilities(7)).
bool HasCapability(int capability);

// The files that other processes in this container have open. Counts the
// processes that cannot be examined.
class OpenFiles {
 public:
  // Lists the open files now. Only tests give another folder as `proc`.
  explicit OpenFiles(const std::string& proc = "/proc");

  // Returns the number of another process that has the file open, or 0.
  pid_t UserOf(const std::string& path) const;

  // Names the first process that could not be examined. Returns "" if all
  // could. An unexamined process may have any file open.
  std::string Unseen() const;

  // Returns whether this process has the right to examine all other processes.
  static bool MayTraceAll();
  static std::string WhatToDoAboutUnseen(bool may_trace_all);

 private:
  void Examine(const std::string& pid);
  // AddFilesOf and AddFilesIn return "", or why they cannot find all open
  // files.
  std::string AddFilesOf(const std::string& pid);
  std::string AddFilesIn(const std::string& folder, const std::string& pid,
                         bool* has_files);
  void AddUnseen(const std::string& what);

  const std::string proc_;
  std::map<std::pair<dev_t, ino_t>, pid_t> users_;
  std::string first_unseen_;
  size_t num_unseen_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_OPEN_FILES_H_
