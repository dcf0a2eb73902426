// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/scan_paths.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "filterdb/commands/command.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/health/examine_all.h"
#include "filterdb/sstable/sstable_finder.h"

namespace cassandra_bloom::tools {
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

CLI::Option* ScanPaths::AddTo(CLI::App* command, CLI::App* group) {
  group
      ->add_option("--default-fp-chance", examine.default_fp_chance,
                   "The planned bloom_filter_fp_chance of SSTables whose "
                   "Statistics.db does not have it")
      ->check(IsFpChance());
  group->add_option("--jobs", jobs, "How many threads read (default: all CPUs)")
      ->check(IsPositive());
  return command->add_option(
      "PATH", paths,
      "Data directories, keyspaces, tables, or files of SSTables");
}

Scanned Scan(const ScanPaths& options) {
  FoundSstables found = FindSstables(options.paths);
  for (const std::string& error : found.errors) {
    PrintError(Unusable(error));
  }
  const uint64_t jobs =
      options.jobs > 0 ? options.jobs : std::thread::hardware_concurrency();
  ProgressBar progress("scanning");
  auto examined = ExamineAll(
      found.sstables, options.examine,
      static_cast<unsigned>(std::clamp<uint64_t>(jobs, 1, MaxJobs())),
      [&](double share) {
        progress.Show(static_cast<uint64_t>(1000 * share), 1000);
      });
  std::set<std::string> to_repair;
  for (const Examined& sstable : examined) {
    if (sstable.has(Check::kKeysMissing) || sstable.has(Check::kTruncated)) {
      to_repair.insert(sstable.sstable.folder);
    }
  }
  return {std::move(examined), std::move(to_repair), std::move(found.left_out),
          std::move(found.errors)};
}

std::string LeftOutText(const std::map<std::string, uint64_t>& folders) {
  std::string text;
  for (const auto& [name, number] : folders) {
    text += (text.empty() ? "left out: " : ", ") + Count(number, "folder") +
            " named " + Printable(name);
  }
  return text.empty() ? "" : text + "\n";
}

std::string RepairText(const std::set<std::string>& folders) {
  std::string text = folders.empty()
                         ? ""
                         : "Rows may have been hidden: after the mend, repair "
                           "these tables (nodetool repair --full):\n";
  for (const std::string& folder : folders) {
    text += "  " + Printable(folder) + "\n";
  }
  return text;
}

}  // namespace cassandra_bloom::tools
