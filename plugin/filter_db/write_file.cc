// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

// A temporary file. The destructor removes the file, unless it got its final
// name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // On failure, returns false and sets errno.
  bool GiveName(const std::string& path, bool overwrite);

  int fd() const { return fd_; }  // Negative if there is no file.

 private:
  std::string path_;
  int fd_ = -1;
};

// Takes the first free name. Never writes into a file that exists, because
// another process may be writing it.
TemporaryFile::TemporaryFile(const std::string& path) {
  constexpr int kAttempts = 10000;
  for (int i = 0; i < kAttempts && fd_ < 0; ++i) {
    path_ = path + kTemporarySuffix + "." + std::to_string(i);
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
               /*mode=*/0666);
    if (fd_ < 0 && errno != EEXIST) {
      return;
    }
  }
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) {
    close(fd_);
    if (!path_.empty()) {
      unlink(path_.c_str());
    }
  }
}

bool TemporaryFile::GiveName(const std::string& path, bool overwrite) {
  if (overwrite) {
    if (rename(path_.c_str(), path.c_str()) != 0) {
      return false;
    }
  } else if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(),
                       RENAME_NOREPLACE) != 0) {
    // vfat has no hard links, and NFS has no RENAME_NOREPLACE. Both ways fail
    // if `path` exists.
    if (errno == EEXIST || link(path_.c_str(), path.c_str()) != 0) {
      return false;
    }
    unlink(path_.c_str());
  }
  path_.clear();
  return true;
}

}  // namespace

bool IsTemporaryName(std::string_view name, std::string_view* of) {
  const size_t at = name.rfind(kTemporarySuffix);
  if (at == std::string_view::npos) {
    return false;
  }
  *of = name.substr(0, at);
  return true;
}

bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error) {
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
  const int fd = temporary.fd();
  if (fd < 0) {
    return FailWithErrno(path, "cannot create a temporary file beside it",
                         error);
  }
  const auto append = [fd](const char* data, size_t size) {
    return WriteAll(fd, data, size);
  };
  if (!write(append)) {
    return FailWithErrno(path, "cannot write", error);
  }
  if (fsync(fd) != 0) {
    return FailWithErrno(path, "cannot sync", error);
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
