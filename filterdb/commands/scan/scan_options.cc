// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/scan/scan_options.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "filterdb/commands/command.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/health/examine_all.h"

namespace cassandra_bloom::tools {

void ScanOptions::AddTo(CLI::App* command) {
  command
      ->add_option("PATH", paths,
                   "Data directories, keyspaces, tables, or files of SSTables")
      ->required();
  command->add_flag("--snapshots", find.snapshots,
                    "Look into folders named snapshots, too");
  command->add_flag("--backups", find.backups,
                    "Look into folders named backups, too");
  command
      ->add_option("--jobs", jobs, "How many threads read (default: all CPUs)")
      ->check(IsWholeNumberFrom(1));
}

namespace {

// Limits the number of threads, because each thread has several files open at a
// time. With too many threads, the process would reach its limit of open files,
// and could not read good SSTables.
uint64_t MaxJobs() {
  constexpr uint64_t kFilesPerJob = 8;
  constexpr uint64_t kMost = 1024;
  struct rlimit files;
  return getrlimit(RLIMIT_NOFILE, &files) == 0
             ? std::clamp<uint64_t>(files.rlim_cur / kFilesPerJob, 1, kMost)
             : 1;
}

}  // namespace

FoundSstables Find(const ScanOptions& options) {
  FoundSstables found = FindSstables(options.paths, options.find);
  for (const FolderLink& link : found.links) {
    PrintError(Unusable(link.path + ": a link, followed to " + link.target));
  }
  for (const std::string& error : found.errors) {
    PrintError(Unusable(error));
  }
  return found;
}

Scanned Scan(const ScanOptions& options) {
  FoundSstables found = Find(options);
  const uint64_t jobs =
      options.jobs > 0 ? options.jobs : std::thread::hardware_concurrency();
  ProgressBar progress("scanning");
  return {ExamineAll(
              found.sstables, options.fp_chance,
              static_cast<unsigned>(std::clamp<uint64_t>(jobs, 1, MaxJobs())),
              [&](uint64_t done, uint64_t all) { progress.Show(done, all); }),
          std::move(found.links), std::move(found.left_out),
          std::move(found.errors)};
}

}  // namespace cassandra_bloom::tools
