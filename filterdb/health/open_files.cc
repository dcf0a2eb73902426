// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/open_files.h"

#include <linux/capability.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

std::vector<std::string> NumbersIn(const std::string& folder,
                                   std::error_code* failure) {
  return NamesIn(
      folder,
      [](const std::string& name) {
        return name.find_first_not_of("0123456789") == std::string::npos;
      },
      failure);
}

// Returns the number of this process, or "" if `proc` does not show it.
std::string Self(const std::string& proc) {
  char self[32];
  const ssize_t size = readlink((proc + "/self").c_str(), self, sizeof(self));
  return size > 0 ? std::string(self, static_cast<size_t>(size)) : "";
}

bool IsMountedWithHidepid(const std::string& proc) {
  const std::unique_ptr<FILE, int (*)(FILE*)> mounts(
      setmntent((proc + "/self/mounts").c_str(), "r"), endmntent);
  bool hides = false;
  while (const struct mntent* const mount =
             mounts == nullptr ? nullptr : getmntent(mounts.get())) {
    if (std::strcmp(mount->mnt_dir, "/proc") == 0) {
      hides = hasmntopt(mount, "hidepid") != nullptr;
    }
  }
  return hides;
}

// Returns whether `proc` hides processes (proc(5), hidepid). If `proc` does not
// show process 1, `proc` hides processes, because process 1 always exists.
bool HidesProcesses(const std::string& proc) {
  return (IsMountedWithHidepid(proc) && !HasCapability(CAP_SYS_PTRACE)) ||
         !FileExists(proc + "/1");
}

std::string FirstLineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string NameOf(const std::string& process) {
  std::string name = FirstLineOf(process + "/comm");
  // A process may give itself a name with control characters.
  std::replace_if(
      name.begin(), name.end(),
      [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return name;
}

// Returns true for a thread of the kernel, and for a process that has ended.
bool HasNoFiles(const std::string& process) {
  constexpr uint64_t kIsOfKernel = 0x00200000;  // PF_KTHREAD, linux/sched.h.
  const std::string line = FirstLineOf(process + "/stat");
  // Starts after the last ")", because the process name before it may contain
  // any characters (proc(5)).
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  char state = 0;
  uint64_t flags = 0;
  uint64_t num_threads = 0;
  int64_t other;
  fields >> state >> other >> other >> other >> other >> other >> flags;
  for (int i = 0; i < 10; ++i) {
    fields >> other;
  }
  fields >> num_threads;
  return fields &&
         ((flags & kIsOfKernel) != 0 || (state == 'Z' && num_threads <= 1));
}

}  // namespace

bool HasCapability(int capability) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capget, &header, data) == 0 &&
         (data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) !=
             0;
}

// Only root can list the open files of another user's process.
bool OpenFiles::MayTraceAll() {
  return geteuid() == 0 && HasCapability(CAP_SYS_PTRACE);
}

std::string OpenFiles::WhatToDoAboutUnseen(bool may_trace_all) {
  return may_trace_all
             ? "a container or a security module forbids it; see that the node "
               "is down (systemctl, pgrep), then give "
               "--ignore-unseen-processes"
             : "run mend as root, with the capability CAP_SYS_PTRACE, or give "
               "--ignore-unseen-processes if you know that the node is down";
}

OpenFiles::OpenFiles(const std::string& proc) : proc_(proc) {
  const std::string self = Self(proc);
  if (self.empty()) {
    AddUnseen(proc + " is not mounted, or not that of this container");
    return;
  }
  if (HidesProcesses(proc)) {
    AddUnseen(proc + " hides processes of other users (hidepid)");
  }
  std::error_code failure;
  for (const std::string& pid : NumbersIn(proc, &failure)) {
    if (pid != self) {
      Examine(pid);
    }
  }
  if (failure) {
    AddUnseen(proc + ": " + failure.message());
  }
}

void OpenFiles::Examine(const std::string& pid) {
  const std::string process = proc_ + "/" + pid;
  const std::string error = AddFilesOf(pid);
  if (!error.empty() && !HasNoFiles(process)) {
    AddUnseen("process " + pid + " (" + NameOf(process) +
              ") cannot be examined: " + error);
  }
}

std::string OpenFiles::AddFilesOf(const std::string& pid) {
  const std::string process = proc_ + "/" + pid;
  bool has_files = false;
  std::string error = AddFilesIn(process + "/fd", pid, &has_files);
  if (has_files || !error.empty()) {
    return error;
  }
  // If the first thread has ended, only the other threads show the open files.
  std::error_code ended;
  for (const std::string& thread : NumbersIn(process + "/task", &ended)) {
    error = AddFilesIn(process + "/task/" + thread + "/fd", pid, &has_files);
    if (!error.empty()) {
      break;
    }
  }
  return error;
}

std::string OpenFiles::AddFilesIn(const std::string& folder,
                                  const std::string& pid, bool* has_files) {
  // ENOENT and ESRCH mean that the process has ended, or that it has closed the
  // file, since the folder was listed.
  const auto is_gone = [](int number) {
    return number == ENOENT || number == ESRCH;
  };
  std::error_code failure;
  for (const std::string& fd : NumbersIn(folder, &failure)) {
    const std::string path = folder + "/" + fd;
    *has_files = true;
    struct stat status;
    if (stat(path.c_str(), &status) == 0) {
      if (S_ISREG(status.st_mode)) {
        users_[{status.st_dev, status.st_ino}] =
            static_cast<pid_t>(std::strtol(pid.c_str(), nullptr, 10));
      }
    } else if (!is_gone(errno)) {
      return path + ": " + std::strerror(errno);
    }
  }
  return failure && !is_gone(failure.value())
             ? folder + ": " + failure.message()
             : "";
}

void OpenFiles::AddUnseen(const std::string& what) {
  if (num_unseen_++ == 0) {
    first_unseen_ = what;
  }
}

pid_t OpenFiles::UserOf(const std::string& path) const {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return 0;
  }
  const auto user = users_.find({status.st_dev, status.st_ino});
  return user == users_.end() ? 0 : user->second;
}

std::string OpenFiles::Unseen() const {
  return num_unseen_ > 1 ? first_unseen_ + " (and " +
                               std::to_string(num_unseen_ - 1) + " more)"
                         : first_unseen_;
}

}  // namespace cassandra_bloom::tools
