// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/open_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "plugin/io/file_io.h"

namespace cassandra_bloom::tools {

OpenFiles::OpenFiles() {
  const auto is_number = [](const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos;
  };
  std::error_code ignored;
  for (const std::string& process : NamesIn("/proc", is_number, &ignored)) {
    const auto pid =
        static_cast<pid_t>(std::strtol(process.c_str(), nullptr, 10));
    if (pid == getpid()) {
      continue;
    }
    const std::string folder = "/proc/" + process + "/fd";
    for (const std::string& fd : NamesIn(folder, is_number, &ignored)) {
      struct stat status;
      if (stat((folder + "/" + fd).c_str(), &status) == 0 &&
          S_ISREG(status.st_mode)) {
        users_[{status.st_dev, status.st_ino}] = pid;
      }
    }
  }
}

pid_t OpenFiles::UserOf(const std::string& path) const {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return 0;
  }
  const auto user = users_.find({status.st_dev, status.st_ino});
  return user == users_.end() ? 0 : user->second;
}

}  // namespace cassandra_bloom::tools
