// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kStandardOutput[] = "-";

}  // namespace

bool MayWriteOutput(const std::string& path, bool overwrite,
                    std::string* error) {
  if (path == kStandardOutput) {
    return true;
  }
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    // Any other failure shows when the file is created.
    return errno != ELOOP ||
           FailWithErrno(path, "cannot follow the symbolic link", error);
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": is " + NameOfFileType(status.st_mode) +
             ", which is left alone; give a file, or - for standard output";
    return false;
  }
  if (!overwrite) {
    *error = path + ": exists; --force overwrites it";
    return false;
  }
  return true;
}

bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error) {
  if (path == kStandardOutput) {
    return write([](const char* data, size_t size) {
             return WriteAll(STDOUT_FILENO, data, size);
           }) ||
           FailWithErrno(NameOfOutput(path), "cannot write", error);
  }
  std::string file = path;
  return MayWriteOutput(path, overwrite, error) && FollowLinks(&file, error) &&
         WriteFileAtomically(file, overwrite, write, error);
}

std::string NameOfOutput(const std::string& path) {
  return path == kStandardOutput ? "standard output" : path;
}

}  // namespace cassandra_bloom::tools
