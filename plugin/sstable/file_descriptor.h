// SPDX-License-Identifier: Apache-2.0

// Closes a file descriptor in its destructor.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_DESCRIPTOR_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_DESCRIPTOR_H_

#include <unistd.h>

namespace cassandra_bloom {

class FileDescriptor {
 public:
  // `fd` may be negative, as after a failed open().
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

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILE_DESCRIPTOR_H_
