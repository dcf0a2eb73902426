// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/read_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cassandra_bloom {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

bool FailWithErrno(const std::string& path, const char* what,
                   std::string* error) {
  *error = path + ": " + what + ": " + std::strerror(errno);
  return false;
}

std::vector<std::string> NamesIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_wanted,
    std::error_code* failure) {
  std::vector<std::string> names;
  failure->clear();
  // Takes a third of the time of a directory_iterator, which makes paths.
  DIR* const listing = opendir(folder.c_str());
  if (listing == nullptr) {
    failure->assign(errno, std::generic_category());
    return names;
  }
  std::string name;
  errno = 0;
  while (const dirent* const entry = readdir(listing)) {
    name = entry->d_name;
    if (name != "." && name != ".." && is_wanted(name)) {
      names.push_back(name);
    }
    errno = 0;
  }
  failure->assign(errno, std::generic_category());
  closedir(listing);
  return names;
}

bool FileExists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

bool NameExists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 || errno != ENOENT;
}

int OpenForReading(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC;
  const int fd = open(path.c_str(), kFlags | O_NONBLOCK);
  return fd < 0 && errno == EWOULDBLOCK ? open(path.c_str(), kFlags) : fd;
}

bool SizeOfRegularFile(int fd, const std::string& path, uint64_t* size,
                       std::string* error) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": not a regular file";
    return false;
  }
  *size = static_cast<uint64_t>(status.st_size);
  return true;
}

ssize_t ReadAt(int fd, uint64_t offset, size_t size, char* to) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return got;
    }
    if (got == 0) {
      break;
    }
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

bool ReadBeginning(int fd, const std::string& path, uint64_t size,
                   std::string* content, std::string* error) {
  content->resize(static_cast<size_t>(size));
  const ssize_t got = ReadAt(fd, 0, content->size(), content->data());
  if (got == static_cast<ssize_t>(size)) {
    return true;
  }
  errno = got >= 0 ? EIO : errno;
  return FailWithErrno(path, "cannot read", error);
}

bool ReadRegularFile(const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error) {
  const FileDescriptor fd(OpenForReading(path));
  return ReadRegularFile(fd.get(), path, max_size, content, error);
}

bool ReadRegularFile(int fd, const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error) {
  uint64_t size = 0;
  if (!SizeOfRegularFile(fd, path, &size, error)) {
    return false;
  }
  if (size > max_size) {
    errno = EFBIG;
    return FailWithErrno(path, "cannot read", error);
  }
  return ReadBeginning(fd, path, size, content, error);
}

}  // namespace cassandra_bloom
