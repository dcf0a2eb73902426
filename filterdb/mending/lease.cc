// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/lease.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include "filterdb/health/finding.h"
#include "filterdb/health/obstacles.h"
#include "filterdb/mending/mend_outcome.h"
#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/sstable/transaction_logs.h"

namespace cassandra_bloom::tools {
namespace {

constexpr uint32_t kXfsMagic = 0x58465342;  // Not in linux/magic.h.

// The file systems whose leases were tried (statfs(2)). EXT4_SUPER_MAGIC is
// also that of ext2 and ext3.
constexpr uint32_t kTrusted[] = {EXT4_SUPER_MAGIC, kXfsMagic, BTRFS_SUPER_MAGIC,
                                 TMPFS_MAGIC};

bool IsTrusted(int fd) {
  struct statfs status;
  return fstatfs(fd, &status) == 0 &&
         std::find(std::begin(kTrusted), std::end(kTrusted),
                   static_cast<uint32_t>(status.f_type)) != std::end(kTrusted);
}

}  // namespace

// With O_NONBLOCK, open() does not wait for another run of filterdb that holds
// a lease.
Lease::Lease(const Sstable& sstable, bool node_is_down)
    : path_(sstable.Path("Data.db")),
      fd_(open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_.get() < 0) {
    if (errno == EWOULDBLOCK) {
      EndRun();
    }
    FailAt(path_, "cannot open");
  }
  Take(node_is_down);
}

void Lease::Take(bool node_is_down) {
  if (IsTrusted(fd_.get())) {
    // The kernel sends SIGIO when another process wants to open the file, which
    // would end this process.
    signal(SIGIO, SIG_IGN);
    is_held_ = fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0;
    if (!is_held_ && errno == EAGAIN) {
      EndRun();
    }
  }
  if (!is_held_ && !node_is_down) {
    Leave(
        "the file system or the kernel does not tell here whether a process "
        "has its Data.db open; see that the node is down (systemctl, pgrep), "
        "then give --node-is-down");
  }
}

void Lease::Check() const {
  if (is_held_ && fcntl(fd_.get(), F_GETLEASE) != F_WRLCK) {
    EndRun();
  }
}

void Lease::EndRun() const {
  throw MendEnd{MendOutcome::kLeft,
                "a process has its Data.db or a snapshot of it open; stop the "
                "node first, or another filterdb",
                /*ends_run=*/true};
}

void CheckIsLive(Sstable sstable) {
  SetState(ReadTransactionLogs(sstable.folder), &sstable);
  if (sstable.state != SstableState::kLive ||
      !NameExists(sstable.Path("Data.db"))) {
    Leave(
        "was removed, or is being removed or rewritten, since it was examined");
  }
  Examined logged;
  logged.sstable = std::move(sstable);
  AddLogs(&logged);
  if (!logged.findings.empty()) {
    Leave(logged.ReasonToLeave());
  }
}

}  // namespace cassandra_bloom::tools
