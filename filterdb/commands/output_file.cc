// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kStandardOutput[] = "-";

Append AppendTo(int fd) {
  return
      [fd](const char* data, size_t size) { return WriteAll(fd, data, size); };
}

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

}  // namespace cassandra_bloom::tools
