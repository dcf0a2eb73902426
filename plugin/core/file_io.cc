#include "plugin/core/file_io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace cassandra_bloom {
namespace {

bool Fail(const std::string& path, const char* what, std::string* error) {
  *error = path + ": " + what + ": " + std::strerror(errno);
  return false;
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }

  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return close(fd) == 0;
  }

 private:
  int fd_;
};

// Removed at the end, unless it has become the file.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() { Remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // A file descriptor, or what open() gives if it fails.
  int Create() {
    const int fd =
        open(path_.c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    created_ = fd >= 0;
    return fd;
  }

  bool RenameTo(const std::string& path) {
    if (rename(path_.c_str(), path.c_str()) != 0) {
      return false;
    }
    created_ = false;
    return true;
  }

  void Remove() {
    if (created_) {
      unlink(path_.c_str());
    }
    created_ = false;
  }

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool created_ = false;
};

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
  const FileDescriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (fd.get() < 0 || fsync(fd.get()) != 0) {
    return Fail(folder, "cannot sync the folder", error);
  }
  return true;
}

// link() instead of rename() where nothing may be overwritten: it fails if the
// file has come to exist in the meantime.
bool GiveName(TemporaryFile* temporary, const std::string& path, bool overwrite,
              std::string* error) {
  if (overwrite) {
    return temporary->RenameTo(path) ||
           Fail(path, "cannot rename the temporary file", error);
  }
  if (link(temporary->path().c_str(), path.c_str()) != 0) {
    return errno == EEXIST ? Fail(path, "will not be overwritten", error)
                           : Fail(path, "cannot name the file", error);
  }
  temporary->Remove();
  return true;
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::unique_ptr<MappedFile> MappedFile::Open(const std::string& path,
                                             std::string* error) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    Fail(path, "cannot open", error);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": not a regular file";
    return nullptr;
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    return std::unique_ptr<MappedFile>(new MappedFile(nullptr, 0));
  }
  void* const data =
      mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), /*offset=*/0);
  if (data == MAP_FAILED) {
    Fail(path, "cannot map", error);
    return nullptr;
  }
  return std::unique_ptr<MappedFile>(
      new MappedFile(static_cast<const char*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ > 0) {
    munmap(const_cast<char*>(data_), size_);
  }
}

bool WriteFileAtomically(
    const std::string& path, bool overwrite,
    const std::function<bool(const Append&)>& write_content,
    std::string* error) {
  if (!overwrite && access(path.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return Fail(path, "will not be overwritten", error);
  }
  // Before there is a file, because this allocates.
  const std::string folder = FolderOf(path);
  TemporaryFile temporary(path + ".tmp" + std::to_string(getpid()));
  FileDescriptor fd(temporary.Create());
  if (fd.get() < 0) {
    return Fail(path, "cannot create a temporary file beside it", error);
  }
  if (!write_content([&fd](const char* data, size_t size) {
        return WriteAll(fd.get(), data, size);
      })) {
    return Fail(path, "cannot write", error);
  }
  if (fsync(fd.get()) != 0 || !fd.Close()) {
    return Fail(path, "cannot sync", error);
  }
  return GiveName(&temporary, path, overwrite, error) &&
         SyncFolder(folder, error);
}

}  // namespace cassandra_bloom
