// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace cassandra_bloom::testing {

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

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_SPECIAL_FILES_H_
