// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace cassandra_bloom {

// The lock is released when the descriptor is closed. On NFS there is no lock,
// because NFS cannot lock a folder.
ExportFolderLock::ExportFolderLock(const std::string& folder,
                                   const std::function<bool()>& may_wait)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  while (fd_.get() >= 0 && flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      may_write_ = may_wait();
      if (!may_write_) {
        return;
      }
      std::this_thread::sleep_for(kPause);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace cassandra_bloom
