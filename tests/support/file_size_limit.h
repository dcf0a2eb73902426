// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FILE_SIZE_LIMIT_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FILE_SIZE_LIMIT_H_

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>

namespace cassandra_bloom::testing {

// Limits the size of each file that this process writes. Longer writes then
// fail, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(size_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_ {};
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FILE_SIZE_LIMIT_H_
