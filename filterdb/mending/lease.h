// SPDX-License-Identifier: Apache-2.0

// Asks the kernel whether a process uses an SSTable, and keeps others from
// opening it.
//
// The kernel refuses a write lease on Data.db (F_SETLEASE in fcntl(2)) while
// any process has the file open or mapped, also in another container, and also
// by another name, as in a snapshot. While the lease is held, a process that
// opens the file waits, at most for /proc/sys/fs/lease-break-time, which is
// 45 s by default. Then the kernel takes the lease away.
//
// - A lease does not keep others from removing the file.
// - Open descriptors of this process count, too. So close every reader of
//   Data.db before, and open none while the lease is held.
// - On FUSE, the kernel knows only what is opened through it. On overlayfs, it
//   does not see a file that is mapped and closed, or that was opened in the
//   lower layer. So only ext4, xfs, btrfs and tmpfs, where this was tried, are
//   trusted.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_LEASE_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_LEASE_H_

#include <string>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

// Throws an End (kLeft) if a lease on files of this open folder would say
// nothing, and the user does not say either that the node is down. To be called
// before anything is written.
void CheckTells(int folder, bool node_is_down);

class Lease {
 public:
  // `data` is the path of Data.db. Throws an End (kInUse) if a process has it
  // open. `node_is_down` is what the user says. It counts only where the kernel
  // gives no answer. There, this object holds no lease.
  Lease(const std::string& data, bool node_is_down);

  // Throws an End (kInUse) if a process is waiting to open Data.db, or if the
  // kernel has taken the lease away.
  void Check() const;

 private:
  [[noreturn]] void EndInUse() const;

  const std::string path_;  // Of Data.db.
  const FileDescriptor fd_;
  bool is_held_ = false;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_LEASE_H_
