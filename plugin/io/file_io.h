// SPDX-License-Identifier: Apache-2.0

// Reads and maps files, lists folders, and follows symbolic links.
// (output_file.h writes files.) Errors name the file.
// Tested in tests/io/output_file_test.cc.
// Tested in tests/filter_db/filter_db_file_test.cc.
// Tested in tests/sstable/bytes/byte_reader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_IO_FILE_IO_H_
#define CASSANDRA_BLOOM_PLUGIN_IO_FILE_IO_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace cassandra_bloom {

// Closes a file descriptor in its destructor.
class FileDescriptor {
 public:
  // `fd` may be negative, as it is after a failed open().
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

// The folder of a file, with a slash at its end: "a/" for "a/b", and "." for
// "b".
std::string FolderOf(const std::string& path);

// Sets `*error` to "path: what: " and the message for errno. Returns false.
bool FailWithErrno(const std::string& path, const char* what,
                   std::string* error);

// If `*path` is a symbolic link, replaces it by its target, which need not
// exist. (realpath() would require that the target exists.) Links among the
// folders of the path stay, because the kernel follows them. Fails if there are
// too many links, as in a loop.
bool FollowLinks(std::string* path, std::string* error);

// Returns the names in a folder for which `is_wanted` returns true, in no
// particular order. After a failure, returns the names found until then.
std::vector<std::string> NamesIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_wanted,
    std::error_code* failure);

bool FileExists(const std::string& path);

// Whether anything has this name, also a link that leads nowhere. True also if
// this cannot be found out.
bool NameExists(const std::string& path);

// Opens a file for reading. Does not wait for the writer of a FIFO. On failure,
// returns a negative number and sets errno.
int OpenForReading(const std::string& path);

// Gets the size of an open file. Fails unless it is a regular file. `path`
// names the file in errors. `fd` may be negative, as it is after a failed
// open().
bool SizeOfRegularFile(int fd, const std::string& path, uint64_t* size,
                       std::string* error);

// Reads `size` bytes at `offset`, or fewer if the file ends before. Returns the
// number of bytes. On failure, returns a negative number and sets errno.
ssize_t ReadAt(int fd, uint64_t offset, size_t size, char* to);

// Reads a whole regular file. Fails if it has more than `max_size` bytes, or if
// `path` is no regular file.
bool ReadRegularFile(const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error);

// Like ReadRegularFile above, for an open file. SizeOfRegularFile describes
// `fd` and `path`.
bool ReadRegularFile(int fd, const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error);

// A file mapped for reading. data() of an empty file is null.
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

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_FILE_IO_H_
