// SPDX-License-Identifier: Apache-2.0

// Reads files and lists folders. Errors name the file.
//
// Files are read with pread and never mapped. If another process truncates a
// mapped file, or if its disk fails, SIGBUS ends the process.
// Tested in tests/filter_db/filter_db_file_test.cc.
// Tested in tests/filter_db/write_file_test.cc.
// Tested in filterdb/tests/sstable/bytes/byte_reader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_READ_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_READ_FILE_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cassandra_bloom {

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

 private:
  const int fd_;
};

inline bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

inline std::string_view FileNameOf(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Returns the folder of a file, with a slash at its end: "a/" for "a/b".
// Returns "." for a path without a slash.
std::string FolderOf(const std::string& path);

// Sets `*error` to "path: what: " and the message for errno. Returns false.
bool FailWithErrno(const std::string& path, const char* what,
                   std::string* error);

// Returns the names in a folder for which `is_wanted` returns true, in no
// particular order. If reading the folder fails, sets `*failure` and returns
// the names found until then.
std::vector<std::string> NamesIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_wanted,
    std::error_code* failure);

bool FileExists(const std::string& path);

// Returns true if anything has this name, even a symbolic link without a
// target. Also returns true if an error prevents the check.
bool NameExists(const std::string& path);

// Opens a file for reading. If the file is a FIFO, does not wait for a writer.
// If another process holds a lease on the file (`filterdb mend` does for
// milliseconds), waits for its end.
// On failure, returns a negative number and sets errno.
int OpenForReading(const std::string& path);

// Sets `*size` to the size of an open file. Fails if `fd` is negative or not a
// regular file. `path` names the file in errors.
bool SizeOfRegularFile(int fd, const std::string& path, uint64_t* size,
                       std::string* error);

// Reads `size` bytes at `offset`, or fewer if the file ends there. Returns the
// number of bytes read. On failure, returns a negative number and sets errno.
ssize_t ReadAt(int fd, uint64_t offset, size_t size, char* to);

// Reads exactly `size` bytes from the beginning of an open file. Fails if the
// file has fewer, as it may when it became shorter. `path` names it in errors.
bool ReadBeginning(int fd, const std::string& path, uint64_t size,
                   std::string* content, std::string* error);

// Reads a whole regular file. Fails if `path` is not a regular file, or if it
// has more than `max_size` bytes.
bool ReadRegularFile(const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error);

// Like the function above, but reads the open file `fd`. `path` only names the
// file in errors.
bool ReadRegularFile(int fd, const std::string& path, uint64_t max_size,
                     std::string* content, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_READ_FILE_H_
