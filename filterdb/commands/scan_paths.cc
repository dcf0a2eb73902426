// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/scan_paths.h"

#include <nlohmann/json.hpp>

#include "filterdb/commands/command.h"
#include "filterdb/health/examine_all.h"

namespace cassandra_bloom::tools {
void ScanPaths::AddTo(CLI::App* command) {
  command
      ->add_option("--default-fp-chance", examine.default_fp_chance,
                   "The planned bloom_filter_fp_chance of SSTables whose "
                   "Statistics.db does not have it")
      ->check(IsFpChance());
  command
      ->add_option(
          "--jobs", jobs,
          "How many threads read, each with a filter in memory (default: 1, "
          "beside a node that runs)")
      ->check(CLI::Range(1U, kMostJobs));
  AddPaths(command, &paths);
}

void AddPaths(CLI::App* command, std::vector<std::string>* paths) {
  command
      ->add_option("PATH", *paths,
                   "Data directories, keyspaces, tables, or files of SSTables")
      ->required();
}

Report::Report(bool as_json, const std::vector<std::string>& paths)
    : as_json_(as_json), finder_(paths, [this](const std::string& error) {
        ++num_errors_;
        PrintError(Unusable(error));
        if (as_json_) {
          PrintJsonLine({{"error", error}});
        }
      }) {}

void Report::Print(const Json& line, const std::string& text) const {
  if (as_json_) {
    PrintJsonLine(line);
  } else {
    PrintText(text);
  }
}

ExitCode Report::Finish(const Json& sums, const std::string& text,
                        const std::string& advice) const {
  Harms harms = harms_;
  if (num_errors_ > 0) {
    harms.Add(Harm::kNotKnown);
  }
  const auto exit_code = static_cast<ExitCode>(harms.exit_status());
  Json summary = {{"exit_status", exit_code},
                  {"harm", NameOf(harms.worst())},
                  {"incomplete", harms.has(Harm::kNotKnown)}};
  summary.update(sums);
  summary["left_out_folders"] = finder_.left_out();
  summary["errors"] = num_errors_;
  std::string left_out;
  for (const auto& [name, number] : finder_.left_out()) {
    left_out += (left_out.empty() ? "left out: " : ", ") +
                Count(number, "folder") + " named " + Printable(name);
  }
  Print({{"summary", summary}},
        text + left_out + (left_out.empty() ? "" : "\n") + advice);
  return exit_code;
}

void ExaminePaths(const ScanPaths& options, Report* report,
                  const std::function<void(const Examined&)>& work,
                  const std::function<void(const Examined&)>& done) {
  ProgressBar progress("scanning");
  uint64_t num_done = 0;
  ExamineJob job;
  job.next = [=] { return report->Next(); };
  job.options = options.examine;
  job.num_threads = options.jobs;
  job.work = work;
  job.done = [&](const Examined& examined) {
    progress.ShowText(Count(++num_done, "SSTable"));
    done(examined);
  };
  ExamineAll(job);
}

}  // namespace cassandra_bloom::tools
