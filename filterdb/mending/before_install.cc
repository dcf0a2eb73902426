// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/before_install.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

#include "filterdb/mending/lease.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/file_stamp.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

Sstable SstableOf(const std::string& prefix) {
  const fs::path path = prefix;
  return {path.parent_path().string(), path.filename().string()};
}

}  // namespace

std::string FolderOfLine(const RunLine& line) {
  return fs::path(line.prefix).parent_path().string();
}

bool HasWork(const RunLine& line) {
  return line.kind == RunLine::kNew || line.kind == RunLine::kToc;
}

std::string WhyInUse(const std::vector<const RunLine*>& lines,
                     const InstallOptions& options) {
  constexpr size_t kFew = 3;
  std::map<std::string, std::vector<const RunLine*>> by_directory;
  for (const RunLine* const line : lines) {
    if (HasWork(*line) && StampOf(line->prefix + "Data.db") == line->data) {
      by_directory[fs::path(line->prefix)
                       .parent_path()
                       .parent_path()
                       .parent_path()
                       .string()]
          .push_back(line);
    }
  }
  for (const auto& [directory, all] : by_directory) {
    for (size_t i = 0; i < std::min(kFew, all.size()); ++i) {
      const RunLine& line =
          *all[i * (all.size() - 1) / std::max<size_t>(kFew - 1, 1)];
      try {
        Lease(SstableOf(line.prefix), options.node_is_down).Check();
      } catch (const End& end) {
        if (end.kind == Outcome::kInUse) {
          return line.prefix + "Data.db: " + end.reason;
        }
      }
    }
  }
  return "";
}

std::string WhatLacksSpace(const RunFolder& run,
                           const std::vector<const RunLine*>& lines,
                           const InstallOptions& options) {
  std::map<dev_t, std::pair<std::string, uint64_t>> needed;
  for (const RunLine* const line : lines) {
    const std::string folder = FolderOfLine(*line);
    struct stat of_folder;
    struct stat of_filter;
    if (line->kind == RunLine::kNew && stat(folder.c_str(), &of_folder) == 0 &&
        stat((options.undo ? run.OldPath(*line) : run.NewPath(*line)).c_str(),
             &of_filter) == 0) {
      auto& [example, bytes] = needed[of_folder.st_dev];
      example = folder;
      const auto block = static_cast<uint64_t>(of_folder.st_blksize);
      bytes += (static_cast<uint64_t>(of_filter.st_size) / block + 1) * block;
    }
  }
  for (const auto& [device, folder_and_bytes] : needed) {
    const auto& [folder, bytes] = folder_and_bytes;
    struct statvfs status;
    if (statvfs(folder.c_str(), &status) == 0 &&
        uint64_t{status.f_bavail} * status.f_frsize < bytes) {
      return folder + ": " + std::to_string(bytes) +
             " bytes are needed on its file system, and " +
             std::to_string(uint64_t{status.f_bavail} * status.f_frsize) +
             " are free";
    }
  }
  return "";
}

}  // namespace cassandra_bloom::tools
