// SPDX-License-Identifier: Apache-2.0

#include "plugin/sstable/temporary_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "plugin/sstable/file_io.h"

namespace cassandra_bloom {
namespace {

constexpr std::string_view kMark = ".tmp";

// PID_MAX_LIMIT of Linux (include/linux/threads.h): "data.tmp20261123" is
// somebody else's.
constexpr pid_t kMaxPid = 4 << 20;

std::atomic<const char*> being_written{nullptr};
// A handler may read it.
static_assert(std::atomic<const char*>::is_always_lock_free);

bool IsOfAnotherProcess(pid_t pid) {
  return pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM);
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path)
    : path_((path + std::string(kMark)).append(std::to_string(getpid()))) {}

// The handler knows the file before it is there, and until it is there no more.
// An earlier process of this number may have left one, which may even be
// another name of the finished file: so it is not to be truncated.
int TemporaryFile::Create() {
  being_written = path_.c_str();
  unlink(path_.c_str());
  const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      /*mode=*/0666);
  created_ = fd >= 0;
  if (!created_) {
    being_written = nullptr;
  }
  return fd;
}

bool TemporaryFile::RenameTo(const std::string& path) {
  if (rename(path_.c_str(), path.c_str()) != 0) {
    return false;
  }
  being_written = nullptr;
  created_ = false;
  return true;
}

void TemporaryFile::Remove() {
  if (created_) {
    unlink(path_.c_str());
    being_written = nullptr;
  }
  created_ = false;
}

bool IsLeftOver(std::string_view suffix) {
  if (suffix.substr(0, kMark.size()) != kMark) {
    return false;
  }
  suffix.remove_prefix(kMark.size());
  const char* const end = suffix.data() + suffix.size();
  pid_t pid = 0;
  const auto [parsed_to, error] = std::from_chars(suffix.data(), end, pid);
  return error == std::errc() && parsed_to == end && suffix[0] != '0' &&
         pid > 0 && pid <= kMaxPid && !IsOfAnotherProcess(pid);
}

void RemoveLeftOversOf(const std::string& path) {
  namespace fs = std::filesystem;
  std::string file = path;
  std::string no_matter;
  FollowLinks(&file, &no_matter);
  const std::string name = file.substr(file.find_last_of('/') + 1);
  std::error_code failure;
  std::vector<fs::path> left_over;
  for (fs::directory_iterator entry(FolderOf(file), failure), end;
       !failure && entry != end; entry.increment(failure)) {
    const std::string found = entry->path().filename().string();
    std::error_code ignored;
    if (found.compare(0, name.size(), name) == 0 &&
        IsLeftOver(std::string_view(found).substr(name.size())) &&
        entry->symlink_status(ignored).type() == fs::file_type::regular) {
      left_over.push_back(entry->path());
    }
  }
  // What cannot be removed is in nobody's way.
  for (const fs::path& one : left_over) {
    unlink(one.c_str());
  }
}

void RemoveTemporaryFileBeingWritten() {
  const char* const path = being_written;
  if (path != nullptr) {
    unlink(path);
  }
}

}  // namespace cassandra_bloom
