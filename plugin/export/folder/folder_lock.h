// SPDX-License-Identifier: Apache-2.0

// Tested in tests/export/worker_test.cc.
// Tested in tests/export/export_command_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_

#include <functional>
#include <string>

#include "plugin/io/file_io.h"

namespace cassandra_bloom {

// A lock on a folder. Only one thread of all processes holds it at a time, if
// the file system supports locks.
class ExportFolderLock {
 public:
  // Waits for the lock. Calls `may_wait` repeatedly, and gives up when it
  // returns false.
  ExportFolderLock(const std::string& folder,
                   const std::function<bool()>& may_wait);

  static bool WaitForever() { return true; }

  // Returns false if another process or thread holds the lock. Returns true if
  // this object holds the lock, or if the folder cannot be locked.
  bool may_write() const { return may_write_; }

 private:
  const FileDescriptor fd_;
  bool may_write_ = true;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_LOCK_H_
