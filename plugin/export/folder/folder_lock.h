// SPDX-License-Identifier: Apache-2.0

// Tested in tests/export/worker_test.cc.
// Tested in tests/export/export_command_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_

#include <functional>
#include <string>

#include "plugin/io/file_io.h"

namespace cassandra_bloom {

// The lock of a folder, to be held while the folder is written to. Among all
// threads and processes, only one holds it at a time, if the file system
// supports locks.
class ExportFolderLock {
 public:
  // Waits for the lock while another process or thread holds it. Meanwhile
  // calls `may_wait` repeatedly, and stops waiting when `may_wait` returns
  // false.
  ExportFolderLock(const std::string& folder,
                   const std::function<bool()>& may_wait);

  static bool WaitForever() { return true; }

  // False only if another process or thread holds the lock and `may_wait` ended
  // the wait. True if this object holds the lock, or if the folder cannot be
  // locked.
  bool may_write() const { return may_write_; }

 private:
  const FileDescriptor fd_;
  bool may_write_ = true;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_
