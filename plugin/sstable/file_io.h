// SPDX-License-Identifier: Apache-2.0

// What reading and writing have in common, and whole files that are read. (For
// those that are written: output_file.h.) Errors name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_IO_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_IO_H_

#include <unistd.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace cassandra_bloom {

// A file descriptor that is closed at the end.
class FileDescriptor {
 public:
  // `fd` may be negative: open() has failed.
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

// The folder in a path to a file.
std::string FolderOf(const std::string& path);

// False, and "path: what: " with the message for errno in `*error`.
bool FailWithErrno(const std::string& path, const char* what,
                   std::string* error);

// From a symbolic link to what it leads to, which need not be there. (realpath
// fails then; folders before the name are the kernel's to follow.) False, and
// an error, if it leads nowhere.
bool FollowLinks(std::string* path, std::string* error);

// The names in a folder that are wanted, in no order. What was found before a
// failure is given, too.
std::vector<std::string> NamesIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_wanted,
    std::error_code* failure);

// A file mapped for reading. A file of no bytes is mapped to no bytes.
class MappedFile {
 public:
  static std::unique_ptr<MappedFile> Open(const std::string& path,
                                          std::string* error);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* const data_;
  const size_t size_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_IO_H_
