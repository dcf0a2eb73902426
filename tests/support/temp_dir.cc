// SPDX-License-Identifier: Apache-2.0

#include "tests/support/temp_dir.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cassandra_bloom::testing {

std::filesystem::path FolderInMemory() {
  const std::filesystem::path memory = "/dev/shm";
  return access(memory.c_str(), W_OK | X_OK) == 0
             ? memory
             : std::filesystem::temp_directory_path();
}

TempDir::TempDir(const std::filesystem::path& parent)
    : path_(parent / "cassandra_bloom_XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::filesystem::filesystem_error(
        path_, std::error_code(errno, std::generic_category()));
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::set<std::string> TempDir::Names() const {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(path_)) {
    names.insert(entry.path().lexically_relative(path_));
  }
  return names;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << content).flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

}  // namespace cassandra_bloom::testing
