// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace cassandra_bloom::testing {

// Returns the file type in st_mode. Does not follow a symbolic link.
inline mode_t TypeOf(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

inline void MakeFifo(const std::string& path) {
  if (mkfifo(path.c_str(), 0600) != 0) {
    throw std::runtime_error(path + ": no FIFO");
  }
}

inline void MakeSocket(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const int bound =
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  close(fd);  // The socket file stays.
  if (bound != 0) {
    throw std::runtime_error(path + ": no socket");
  }
}

// Makes a block device without a driver. Returns false if it is not allowed.
inline bool MakeBlockDevice(const std::string& path) {
  return mknod(path.c_str(), S_IFBLK | 0600, makedev(240, 0)) == 0;
}

// Makes a device like /dev/null. Tests use it, because a faulty program could
// destroy the machine's /dev/null. Returns false if the user or the file system
// does not allow the device.
inline bool MakeNullDevice(const std::string& path) {
  if (mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
    return false;
  }
  const int fd = open(path.c_str(), O_WRONLY);
  if (fd < 0) {
    unlink(path.c_str());
    return false;
  }
  close(fd);
  return true;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_
