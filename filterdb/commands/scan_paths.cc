// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/scan_paths.h"

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

void ScanPaths::AddTo(CLI::App* command) {
  command
      ->add_option("--default-fp-chance", examine.default_fp_chance,
                   "The planned bloom_filter_fp_chance of SSTables whose "
                   "Statistics.db does not have it")
      ->check(IsFpChance());
  command
      ->add_option(
          "--jobs", jobs,
          "How many threads read (default: 1, beside a node that runs)")
      ->check(IsPositive());
  command
      ->add_option("PATH", paths,
                   "Data directories, keyspaces, tables, or files of SSTables")
      ->required();
}

Scanned Scan(const ScanPaths& options, bool as_json,
             const std::function<void(const Examined&)>& work,
             const std::function<void(const Examined&)>& done) {
  Scanned scanned;
  SstableFinder finder(options.paths, [&](const std::string& error) {
    ++scanned.num_errors;
    PrintError(Unusable(error));
    if (as_json) {
      PrintJsonLine({{"error", error}});
    }
  });
  ProgressBar progress("scanning");
  uint64_t num_done = 0;
  ExamineJob job;
  job.next = [&finder] { return finder.Next(); };
  job.options = options.examine;
  job.num_threads =
      static_cast<unsigned>(std::clamp<uint64_t>(options.jobs, 1, MaxJobs()));
  job.work = work;
  job.done = [&](const Examined& examined) {
    progress.ShowText(Count(++num_done, "SSTable"));
    done(examined);
  };
  ExamineAll(job);
  scanned.left_out = finder.left_out();
  return scanned;
}

std::string LeftOutText(const std::map<std::string, uint64_t>& folders) {
  std::string text;
  for (const auto& [name, number] : folders) {
    text += (text.empty() ? "left out: " : ", ") + Count(number, "folder") +
            " named " + Printable(name);
  }
  return text.empty() ? "" : text + "\n";
}

}  // namespace cassandra_bloom::tools
