// SPDX-License-Identifier: Apache-2.0

#include "plugin/io/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "plugin/io/file_io.h"
#include "plugin/io/temporary_file.h"

namespace cassandra_bloom {
namespace {

constexpr char kStandardOutput[] = "-";

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

Append AppendTo(int fd) {
  return
      [fd](const char* data, size_t size) { return WriteAll(fd, data, size); };
}

// ---- Regular files ----

// Gives the temporary file its final name. Without `overwrite`, uses link()
// instead of rename(), because link() fails if `path` exists.
bool GiveName(TemporaryFile* temporary, const std::string& path, bool overwrite,
              std::string* error) {
  if (overwrite) {
    return temporary->RenameTo(path) ||
           FailWithErrno(path, "cannot rename the temporary file", error);
  }
  if (link(temporary->path().c_str(), path.c_str()) != 0) {
    return FailWithErrno(
        path,
        errno == EEXIST ? "will not be overwritten" : "cannot name the file",
        error);
  }
  temporary->Remove();
  return true;
}

using BeforeNaming = std::function<bool(int fd, std::string* error)>;

bool WriteAndName(const std::string& path, bool overwrite,
                  const WriteContent& write, const BeforeNaming& before_naming,
                  std::string* error) {
  // Allocates the folder's name before the temporary file is created. Otherwise
  // a lack of memory could be found when the file already has its final name.
  const std::string folder = FolderOf(path);
  TemporaryFile temporary(path);
  if (!temporary.Create()) {
    return FailWithErrno(path, "cannot create a temporary file beside it",
                         error);
  }
  if (!write(AppendTo(temporary.fd()))) {
    return FailWithErrno(path, "cannot write", error);
  }
  if (!before_naming(temporary.fd(), error)) {
    return false;
  }
  if (fsync(temporary.fd()) != 0) {
    return FailWithErrno(path, "cannot sync", error);
  }
  return GiveName(&temporary, path, overwrite, error) &&
         SyncFolder(folder, error);
}

// ---- Streams ----

// While an object of this class exists, its thread gets no SIGPIPE, because
// SIGPIPE would end the process. A write() to a pipe without a reader then only
// fails with EPIPE.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &mask_before_);
  }
  ~NoSigpipe() {
    const struct timespec at_once = {};
    while (!was_pending_ && sigtimedwait(&sigpipe_, nullptr, &at_once) < 0 &&
           errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t sigpipe_;
  sigset_t mask_before_;
  bool was_pending_;
};

bool WriteToStandardOutput(const WriteContent& write, std::string* error) {
  const NoSigpipe no_sigpipe;
  return write(AppendTo(STDOUT_FILENO)) ||
         FailWithErrno(NameOfOutput(kStandardOutput), "cannot write", error);
}

bool WriteToStream(const std::string& path, const WriteContent& write,
                   std::string* error) {
  const NoSigpipe no_sigpipe;
  FileDescriptor fd(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) {
    *error = path + ": has meanwhile become " + NameOfFileType(status.st_mode) +
             ", and is left alone";
    return false;
  }
  return (write(AppendTo(fd.get())) && fd.Close()) ||
         FailWithErrno(path, "cannot write", error);
}

}  // namespace

bool SyncFolder(const std::string& folder, std::string* error) {
  const FileDescriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  return (fd.get() >= 0 && fsync(fd.get()) == 0) ||
         FailWithErrno(folder, "cannot sync the folder", error);
}

bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error) {
  if (!overwrite && access(path.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return FailWithErrno(path, "will not be overwritten", error);
  }
  return WriteAndName(
      path, overwrite, write, [](int, std::string*) { return true; }, error);
}

bool ReplaceFileAtomically(const std::string& path, const WriteContent& write,
                           const BeforeNaming& before_naming,
                           std::string* error) {
  return WriteAndName(path, /*overwrite=*/true, write, before_naming, error);
}

std::optional<OutputKind> OutputKindOf(const std::string& path,
                                       std::string* error) {
  if (path == kStandardOutput) {
    return OutputKind::kStream;
  }
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ELOOP) {
      FailWithErrno(path, "cannot follow the symbolic link", error);
      return std::nullopt;
    }
    return OutputKind::kNew;  // Creating the file shows errors.
  }
  if (S_ISREG(status.st_mode)) {
    return OutputKind::kFile;
  }
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
    return OutputKind::kStream;
  }
  *error = path + ": is " + NameOfFileType(status.st_mode) +
           ", which is left alone; give a file, a FIFO or a character device";
  return std::nullopt;
}

bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error) {
  const std::optional<OutputKind> kind = OutputKindOf(path, error);
  if (!kind) {
    return false;
  }
  if (path == kStandardOutput) {
    return WriteToStandardOutput(write, error);
  }
  if (*kind == OutputKind::kStream) {
    return WriteToStream(path, write, error);
  }
  std::string file = path;
  return FollowLinks(&file, error) &&
         WriteFileAtomically(file, overwrite, write, error);
}

std::string NameOfOutput(const std::string& path) {
  return path == kStandardOutput ? "standard output" : path;
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
