// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/install.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "filterdb/mending/lease.h"
#include "filterdb/sstable/bytes/cached_pages.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// Asks for a few SSTables of each data directory, so that a node that runs is
// known before anything is written. Returns why not to begin, or "".
std::string WhyInUse(const RunFolder& run, bool node_is_down) {
  constexpr int kFew = 3;
  std::map<std::string, int> num_asked;  // By the data directory.
  for (const RunLine& line : run.lines()) {
    const fs::path table = TableOf(line.folder());
    int& num = num_asked[table.parent_path().parent_path().string()];
    const std::string data = line.prefix + "Data.db";
    if (num >= kFew || !line.HasWork() || !NameExists(data)) {
      continue;
    }
    ++num;
    try {
      Lease(data, node_is_down).Check();
    } catch (const End& end) {
      if (end.kind == Outcome::kInUse) {
        return data + ": " + end.reason;
      }
    }
  }
  return "";
}

// Returns which file system lacks how much, or "".
std::string WhatLacksSpace(const RunFolder& run, bool undo) {
  std::map<std::string, uint64_t> by_folder;
  for (const RunLine& line : run.lines()) {
    struct stat filter;
    if (line.kind == RunLine::kNew &&
        stat((undo ? run.OldPath(line) : run.NewPath(line)).c_str(), &filter) ==
            0) {
      const auto block = static_cast<uint64_t>(filter.st_blksize);
      by_folder[line.folder()] +=
          (static_cast<uint64_t>(filter.st_size) / block + 1) * block;
    }
  }
  std::map<dev_t, uint64_t> by_device;
  for (const auto& [folder, bytes] : by_folder) {
    struct stat status;
    struct statvfs space;
    if (stat(folder.c_str(), &status) == 0 &&
        statvfs(folder.c_str(), &space) == 0) {
      const uint64_t needed = by_device[status.st_dev] += bytes;
      const uint64_t free = uint64_t{space.f_bavail} * space.f_frsize;
      if (free < needed) {
        return folder + ": at least " + std::to_string(needed) +
               " bytes are needed on its file system, and " +
               std::to_string(free) + " are free";
      }
    }
  }
  return "";
}

}  // namespace

InstallSums Install(const RunFolder& run, const InstallOptions& options,
                    const OnOutcome& on_outcome,
                    const std::function<void(double share)>& progress) {
  InstallSums sums;
  if (!options.dry_run) {
    KeepAllPages();
    sums.refusal = WhyInUse(run, options.node_is_down);
    if (sums.refusal.empty()) {
      sums.refusal = WhatLacksSpace(run, options.undo);
    }
    if (!sums.refusal.empty()) {
      return sums;
    }
  }
  std::map<std::string, std::vector<const RunLine*>> tables;
  for (const RunLine& line : run.lines()) {
    tables[TableOf(line.folder())].push_back(&line);
    sums.num_listed += line.HasWork() ? 1 : 0;
  }
  size_t num_done = 0;
  for (const auto& [table, lines] : tables) {
    if (sums.has_ended) {
      break;
    }
    InstallTable(run, options, table, lines, on_outcome, &sums);
    num_done += lines.size();
    progress(static_cast<double>(num_done) /
             static_cast<double>(run.lines().size()));
  }
  return sums;
}

}  // namespace cassandra_bloom::tools
