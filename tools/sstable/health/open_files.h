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

// Whether this process has a capability, such as CAP_CHOWN (capabilities(7)).
bool HasCapability(int capability);

// The files that processes have open: those of all processes in the same
// container that may be examined, and why others may not.
class OpenFiles {
 public:
  // Lists them now. `proc`: another folder is for tests.
  explicit OpenFiles(const std::string& proc = "/proc");

  // The number of another process that has this file open, or 0.
  pid_t UserOf(const std::string& path) const;

  // Which processes could not be examined, and why; empty if all could. They
  // may have any file open.
  std::string Unseen() const;

  // Whether this process has every right that the kernel asks for to examine
  // all others.
  static bool MayTraceAll();
  static std::string WhatToDoAboutUnseen(bool may_trace_all);

 private:
  void Examine(const std::string& pid);
  // These add the open files of a process, or of one of its threads. They
  // return why not all can be found out, or "".
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

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_OPEN_FILES_H_
