// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/write_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

// A temporary file. The destructor removes the file, unless it got its final
// name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path)
      : path_(path + kTemporarySuffix) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // On failure, these functions return false and set errno.
  bool Create();
  bool GiveName(const std::string& path, bool overwrite);

  int fd() const { return fd_; }

 private:
  bool CreateAndLock();
  const std::string path_;
  int fd_ = -1;  // Holds the lock of the file.
  bool has_name_ = false;
};

// Waits at most `max_wait` for the lock of the file, and removes the file if it
// still has its name. Keeps the lock until the file is removed, because a
// writer may have created the file but not yet locked it. That writer then sees
// that the file is locked or removed, and begins again.
//
// Opens the file with O_RDWR, because NFS locks only files that are open for
// writing. If it belongs to another user, opens it for reading, because who
// owns the folder may remove it.
bool RemoveWhenUnlocked(const std::string& path,
                        std::chrono::milliseconds max_wait) {
  const auto deadline = std::chrono::steady_clock::now() + max_wait;
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int opened = open(path.c_str(), O_RDWR | kFlags);
  if (opened < 0 && errno == EACCES) {
    opened = open(path.c_str(), O_RDONLY | kFlags);
  }
  const FileDescriptor fd(opened);
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    return errno == ENOENT;
  }
  if (!S_ISREG(status.st_mode)) {
    errno = EEXIST;
    return false;
  }
  while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !HasName(fd.get(), path) || unlink(path.c_str()) == 0;
}

// Releases the lock last. If an unfinished file has no lock, another process
// may remove it as a leftover. Closing the descriptor does not release the lock
// if a process that was forked from this one has it open, too.
TemporaryFile::~TemporaryFile() {
  if (has_name_) {
    unlink(path_.c_str());
  }
  if (fd_ >= 0) {
    flock(fd_, LOCK_UN);
    close(fd_);
  }
}

// Never writes into a file that exists, because it may be a hard link to
// another file. Tries several times, because another process may remove the new
// file before this process has locked it: a file without a lock looks like a
// leftover.
bool TemporaryFile::Create() {
  constexpr auto kMaxWait = std::chrono::milliseconds(5000);
  constexpr int kAttempts = 1000;
  for (int i = 0; i < kAttempts; ++i) {
    if (CreateAndLock()) {
      return true;
    }
    if (errno == EEXIST) {
      if (!RemoveWhenUnlocked(path_, kMaxWait)) {
        return false;
      }
    } else if (errno != EWOULDBLOCK) {
      return false;
    }
  }
  return false;
}

bool TemporaryFile::CreateAndLock() {
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
             /*mode=*/0666);
  if (fd_ < 0) {
    return false;
  }
  const bool is_locked_by_another =
      flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  has_name_ = !is_locked_by_another && HasName(fd_, path_);
  if (has_name_) {
    return true;
  }
  // Another process has removed the file, or is about to.
  close(fd_);
  fd_ = -1;
  errno = EWOULDBLOCK;
  return false;
}

// Without `overwrite`, RENAME_NOREPLACE and link() both fail if `path` exists.
// NFS has no RENAME_NOREPLACE, and vfat has no links.
bool TemporaryFile::GiveName(const std::string& path, bool overwrite) {
  if (!HasName(fd_, path_)) {
    errno = ESTALE;
    return false;
  }
  if (!overwrite && renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(),
                              RENAME_NOREPLACE) == 0) {
    has_name_ = false;
    return true;
  }
  if ((overwrite ? rename(path_.c_str(), path.c_str())
                 : link(path_.c_str(), path.c_str())) != 0) {
    return false;
  }
  if (!overwrite) {
    unlink(path_.c_str());
  }
  has_name_ = false;
  return true;
}

}  // namespace

bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error,
                         const BeforeNaming& before_naming) {
  constexpr char kExists[] = "will not be overwritten";
  struct stat existing;
  if (!overwrite && lstat(path.c_str(), &existing) == 0) {
    errno = EEXIST;
    return FailWithErrno(path, kExists, error);
  }
  // Allocates the folder's name before the temporary file is created. Otherwise
  // a lack of memory could be found when the file already has its final name.
  const std::string folder = FolderOf(path);
  TemporaryFile temporary(path);
  if (!temporary.Create()) {
    return FailWithErrno(path, "cannot create a temporary file beside it",
                         error);
  }
  const int fd = temporary.fd();
  const auto append = [fd](const char* data, size_t size) {
    return WriteAll(fd, data, size);
  };
  if (!write(append)) {
    return FailWithErrno(path, "cannot write", error);
  }
  if (fsync(fd) != 0) {
    return FailWithErrno(path, "cannot sync", error);
  }
  if (before_naming && !before_naming(error)) {
    return false;
  }
  if (!temporary.GiveName(path, overwrite)) {
    return FailWithErrno(
        path, errno == EEXIST ? kExists : "cannot name the file", error);
  }
  return SyncFolder(folder, error);
}

bool WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool SyncFolder(const std::string& folder, std::string* error) {
  const FileDescriptor fd(
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return (fd.get() >= 0 && fsync(fd.get()) == 0) ||
         FailWithErrno(folder, "cannot sync the folder", error);
}

void RemoveLeftOver(const std::string& temporary) {
  RemoveWhenUnlocked(temporary, std::chrono::milliseconds(0));
}

const char* NameOfFileType(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a regular file";
    case S_IFDIR:
      return "a folder";
    case S_IFLNK:
      return "a symbolic link";
    case S_IFIFO:
      return "a FIFO";
    case S_IFCHR:
      return "a character device";
    case S_IFBLK:
      return "a block device";
    case S_IFSOCK:
      return "a socket";
    default:
      return "no file";
  }
}

}  // namespace cassandra_bloom
