// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/lease.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "filterdb/mending/outcome.h"

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

[[noreturn]] void LeaveUntold() {
  Leave(
      "the file system or the kernel does not tell here whether a process "
      "has its Data.db open; see that the node is down (systemctl, pgrep), "
      "then give --node-is-down");
}

// Links of /proc lead to the file itself, also by another name.
bool HasOpen(const std::string& process, const struct stat& file) {
  for (const std::string& folder :
       {process + "/fd/", process + "/map_files/"}) {
    std::error_code ignored;
    const auto leads_to_file = [&](const std::string& link) {
      struct stat status;
      return stat((folder + link).c_str(), &status) == 0 &&
             status.st_dev == file.st_dev && status.st_ino == file.st_ino;
    };
    if (!NamesIn(folder, leads_to_file, &ignored).empty()) {
      return true;
    }
  }
  return false;
}

// Returns which processes have a file open, such as "java (1234)", as far as
// this user may know. Otherwise returns "a process".
std::string WhoHasOpen(const std::string& path) {
  struct stat file;
  std::string who;
  std::error_code ignored;
  const auto is_other = [](const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos &&
           name != std::to_string(getpid());
  };
  if (lstat(path.c_str(), &file) == 0) {
    for (const std::string& pid : NamesIn("/proc", is_other, &ignored)) {
      const std::string process = "/proc/" + pid;
      if (HasOpen(process, file)) {
        std::string name;
        std::getline(std::ifstream(process + "/comm"), name);
        who += (who.empty() ? "" : ", ") + name + " (" + pid + ")";
      }
    }
  }
  return who.empty() ? "a process" : who;
}

}  // namespace

void CheckTells(int folder, bool node_is_down) {
  if (!node_is_down && !IsTrusted(folder)) {
    LeaveUntold();
  }
}

// With O_NONBLOCK, open() does not wait for another run of filterdb that holds
// a lease.
Lease::Lease(const std::string& data, bool node_is_down)
    : path_(data),
      fd_(open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_.get() < 0) {
    if (errno == EWOULDBLOCK) {
      EndInUse();
    }
    FailAt(path_, "cannot open");
  }
  if (IsTrusted(fd_.get())) {
    // The kernel sends SIGIO when another process wants to open the file, which
    // would end this process.
    signal(SIGIO, SIG_IGN);
    is_held_ = fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0;
    if (!is_held_ && errno == EAGAIN) {
      EndInUse();
    }
  }
  if (!is_held_ && !node_is_down) {
    LeaveUntold();
  }
}

void Lease::Check() const {
  if (is_held_ && fcntl(fd_.get(), F_GETLEASE) != F_WRLCK) {
    EndInUse();
  }
}

void Lease::EndInUse() const {
  throw End{Outcome::kInUse, WhoHasOpen(path_) +
                                 " has its Data.db, or a snapshot of it, open; "
                                 "stop that process, then run the same line "
                                 "again"};
}

}  // namespace cassandra_bloom::tools
