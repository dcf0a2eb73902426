// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_directory.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "filterdb/sstable/sstable.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kTable = 0;
constexpr int kKeyspace = 1;
constexpr int kDataDirectory = 2;

std::vector<std::string> AllNamesIn(const std::string& folder) {
  std::error_code ignored;
  return NamesIn(
      folder, [](const std::string&) { return true; }, &ignored);
}

bool IsDataDb(std::string_view name) {
  const auto parsed = ParseComponentName(name);
  return parsed && parsed->component == "Data.db";
}

// Returns whether `inner` is `folder`, or lies in it. Both are absolute.
bool Contains(const fs::path& folder, const fs::path& inner) {
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end())
             .first == folder.end();
}

// Returns kTable, kKeyspace or kDataDirectory. Returns nullopt if the level of
// `folder` is unknown or above `highest`.
std::optional<int> LevelOf(const fs::path& folder, int highest) {
  if (IsTableFolderName(folder.filename().string())) {
    return kTable;
  }
  if (IsLink(folder.string()) || IsOfKernel(folder.string())) {
    return std::nullopt;
  }
  const auto names = AllNamesIn(folder.string());
  if (std::any_of(names.begin(), names.end(), IsDataDb)) {
    return kTable;
  }
  std::optional<int> lowest;
  if (highest == kTable) {
    return lowest;
  }
  for (auto name = names.begin(); name != names.end() && lowest != kKeyspace;
       ++name) {
    std::error_code ignored;
    if (!fs::is_directory(folder / *name, ignored)) {
      continue;
    }
    const auto level = LevelOf(folder / *name, highest - 1);
    if (level && (!lowest || *level + 1 < *lowest)) {
      lowest = *level + 1;
    }
  }
  return lowest;
}

}  // namespace

bool IsTableFolderName(std::string_view name) {
  constexpr size_t kDigits = 32;
  return name.size() > kDigits + 1 && name[name.size() - kDigits - 1] == '-' &&
         name.find_last_not_of("0123456789abcdefABCDEF") ==
             name.size() - kDigits - 1;
}

bool IsLink(const std::string& path) {
  std::error_code ignored;
  return fs::is_symlink(path, ignored);
}

std::string RealPath(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? path : real.string();
}

bool IsOfKernel(const std::string& folder) {
  struct statfs status;
  return statfs(folder.c_str(), &status) == 0 &&
         (status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC);
}

std::vector<std::string> CopiesOfTableIn(const std::string& folder) {
  std::vector<std::string> copies;
  fs::path parent;
  for (const fs::path& name : fs::path(folder)) {
    if ((name == "snapshots" || name == "backups") &&
        LevelOf(parent, kTable) == kTable) {
      copies.push_back(name.string());
    }
    parent /= name;
  }
  return copies;
}

bool IsOneLevelBelow(const std::string& folder, const std::string& parent) {
  if (Contains(folder, parent)) {
    return false;
  }
  const auto level = LevelOf(folder, kDataDirectory);
  const auto level_of_parent = LevelOf(parent, kDataDirectory);
  return level && (!level_of_parent || *level_of_parent == *level + 1);
}

}  // namespace cassandra_bloom::tools
