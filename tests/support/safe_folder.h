// SPDX-License-Identifier: Apache-2.0

// A folder in which a run of `filterdb mend --run` may be.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_SAFE_FOLDER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_SAFE_FOLDER_H_

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace cassandra_bloom::testing {

// Returns whether only this user and root can change what is in the folder.
inline bool IsSafe(std::filesystem::path folder) {
  for (;; folder = folder.parent_path()) {
    struct stat status;
    if (stat(folder.c_str(), &status) != 0 ||
        (status.st_uid != 0 && status.st_uid != geteuid()) ||
        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      return false;
    }
    if (!folder.has_relative_path()) {
      return true;
    }
  }
}

// Returns a folder in which a run may be. /tmp is none. The path has no space,
// because tests type it without quotes. root's home is closed to other users.
inline std::filesystem::path SafeFolder() {
  const char* const home = std::getenv("HOME");
  for (const std::filesystem::path& folder :
       {std::filesystem::path(CASSANDRA_BLOOM_FILTERDB).parent_path(),
        std::filesystem::path("/var/lib"),
        std::filesystem::path(home == nullptr ? "/root" : home)}) {
    if (IsSafe(folder) && access(folder.c_str(), W_OK) == 0 &&
        folder.string().find(' ') == std::string::npos) {
      return folder;
    }
  }
  return "/none";  // Then the fixture throws.
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_SAFE_FOLDER_H_
