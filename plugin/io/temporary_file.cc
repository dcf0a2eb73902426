// SPDX-License-Identifier: Apache-2.0

#include "plugin/io/temporary_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "plugin/io/file_io.h"
#include "plugin/io/names.h"

namespace cassandra_bloom {
namespace {

constexpr std::string_view kMark = ".cassandra_bloom-";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr size_t kNumDigits = 8;

// The newest temporary file that this thread is writing, or null. Its member
// `outer_` points to the next older temporary file.
thread_local std::atomic<const TemporaryFile*> being_written{nullptr};
// A signal handler may read `being_written`, so reading must need no lock.
static_assert(std::atomic<const TemporaryFile*>::is_always_lock_free);

std::string RandomSuffix() {
  uint8_t random[kNumDigits] = {};
  [[maybe_unused]] const ssize_t ignored =
      getrandom(random, sizeof(random), /*flags=*/0);
  std::string suffix(kMark);
  for (const uint8_t byte : random) {
    suffix += kDigits[byte % kDigits.size()];
  }
  return suffix;
}

bool IsRegularFile(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Returns false if somebody has removed the open file's only name.
bool HasName(int fd) {
  struct stat status;
  return fstat(fd, &status) != 0 || status.st_nlink > 0;
}

// Removes the file if no process holds its lock. Keeps the lock until the file
// is removed, because a writer may have created the file but not yet locked it.
// That writer then sees that the file is locked or removed, and tries another
// name.
//
// Opens the file with O_RDWR, because NFS locks only files that are open for
// writing.
void RemoveIfLeftOver(const std::string& path) {
  const FileDescriptor fd(
      open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() >= 0 && IsRegularFile(fd.get()) &&
      flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
    unlink(path.c_str());
  }
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& path) : wanted_(path) {}

// Closes the descriptor last, because closing releases the lock. If an
// unfinished file has no lock, another process may remove it as a leftover.
TemporaryFile::~TemporaryFile() {
  Remove();
  if (fd_ >= 0) {
    close(fd_);
  }
}

// Tries several names, because another process may remove the new file before
// this process has locked it. That process removes leftovers, and a file
// without a lock looks like a leftover.
bool TemporaryFile::Create() {
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts; ++i) {
    path_ = wanted_ + RandomSuffix();
    if (CreateAndLock()) {
      return true;
    }
    if (errno != EEXIST && errno != EWOULDBLOCK) {
      break;
    }
  }
  return false;
}

// Sets `being_written` before the file exists, because a signal handler must
// find the file as soon as it exists. For the same reason, Remove and RenameTo
// reset `being_written` only after the file has lost its temporary name.
bool TemporaryFile::CreateAndLock() {
  outer_ = being_written;
  being_written = this;
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
             /*mode=*/0666);
  if (fd_ < 0) {
    being_written = outer_;
    return false;
  }
  has_name_ = true;
  const bool is_locked_by_another =
      flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_locked_by_another && HasName(fd_)) {
    return true;
  }
  Remove();
  close(fd_);
  fd_ = -1;
  errno = EWOULDBLOCK;
  return false;
}

bool TemporaryFile::RenameTo(const std::string& path) {
  if (rename(path_.c_str(), path.c_str()) != 0) {
    return false;
  }
  being_written = outer_;
  has_name_ = false;
  return true;
}

void TemporaryFile::Remove() {
  if (has_name_) {
    unlink(path_.c_str());
    being_written = outer_;
  }
  has_name_ = false;
}

bool IsTemporarySuffix(std::string_view suffix) {
  return suffix.size() == kMark.size() + kNumDigits &&
         suffix.substr(0, kMark.size()) == kMark &&
         suffix.find_first_not_of(kDigits, kMark.size()) ==
             std::string_view::npos;
}

void RemoveLeftOversIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_temporary) {
  std::error_code ignored;
  for (const std::string& name : NamesIn(folder, is_temporary, &ignored)) {
    RemoveIfLeftOver(folder + "/" + name);
  }
}

void RemoveLeftOversOf(const std::string& path) {
  std::string file = path;
  std::string ignored_error;
  FollowLinks(&file, &ignored_error);
  const std::string name(FileNameOf(file));
  RemoveLeftOversIn(FolderOf(file), [&](const std::string& found) {
    return found.compare(0, name.size(), name) == 0 &&
           IsTemporarySuffix(std::string_view(found).substr(name.size()));
  });
}

void RemoveTemporaryFilesBeingWritten() {
  for (const TemporaryFile* file = being_written; file != nullptr;
       file = file->outer_) {
    unlink(file->path_.c_str());
  }
}

}  // namespace cassandra_bloom
