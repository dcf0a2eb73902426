// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_TEMP_DIR_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_TEMP_DIR_H_

#include <filesystem>
#include <set>
#include <string>

namespace cassandra_bloom::testing {

// Returns a folder in memory, if there is one. A killed program leaves on a
// disk just what it leaves there, and fsync() takes long on a busy disk.
std::filesystem::path FolderInMemory();

// A new temporary folder. The destructor removes it with everything in it.
class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& parent =
                       std::filesystem::temp_directory_path());
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }
  // Returns the relative paths of all files and folders.
  std::set<std::string> Names() const;

 private:
  std::string path_;
};

// ReadFile and WriteFile throw std::runtime_error if they fail.
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& content);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_TEMP_DIR_H_
