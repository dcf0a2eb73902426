// SPDX-License-Identifier: Apache-2.0

// The commands mend and install, which mend --in-place runs one after the
// other.
// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/mend_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/install.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"
#include "filterdb/sstable/sstable_finder.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// ---- What both print ----

std::string TextOf(const Outcome& outcome) {
  std::string text = outcome.path;
  std::string before;
  for (const std::string& part :
       {outcome.verdict, std::string(NameOf(outcome.kind)), outcome.note}) {
    text += part.empty() || part == before ? "" : ": " + part;
    before = part;
  }
  if (outcome.kind == Outcome::kBuilt) {
    text += ", " + Count(outcome.num_bytes, "byte") + " for " +
            Count(outcome.num_keys, "key");
  }
  return Printable(text) + "\n";
}

Json ToJson(const Outcome& outcome) {
  const bool is_built = outcome.kind == Outcome::kBuilt;
  return {{"filter", outcome.path},
          {"verdict", outcome.verdict},
          {"outcome", NameOf(outcome.kind)},
          {"note", outcome.note},
          {"harm", NameOf(outcome.left.worst())},
          {"bytes", is_built ? Json(outcome.num_bytes) : Json()},
          {"keys", is_built ? Json(outcome.num_keys) : Json()}};
}

class OutcomeReport : public Report {
 public:
  using Report::Report;

  // Prints it at once, so that a killed run has shown what it did.
  void AddOutcome(const Outcome& outcome) {
    Add(outcome.left);
    if (outcome.kind != Outcome::kUnchanged || !outcome.note.empty()) {
      ++sums_[outcome.kind];
      Print(ToJson(outcome), TextOf(outcome));
      std::fflush(stdout);
    }
  }

  uint64_t num(Outcome::Kind kind) const {
    const auto found = sums_.find(kind);
    return found == sums_.end() ? 0 : found->second;
  }

  // With the fields of `more`, or followed by `advice`.
  ExitCode FinishWith(const Json& more, const std::string& advice) const {
    Json json = {{"total", Json::object()}};
    std::string sums;
    for (const auto& [kind, number] : sums_) {
      json["total"][NameOf(kind)] = number;
      sums += (sums.empty() ? "" : ", ") + std::to_string(number) + " " +
              NameOf(kind);
    }
    json.update(more);
    return Finish(json, (sums.empty() ? "nothing to do" : sums) + "\n", advice);
  }

 private:
  std::map<Outcome::Kind, uint64_t> sums_;
};

// ---- install ----

struct InstallArguments {
  std::string run;
  InstallOptions options;
  bool json = false;
};

// What was found before the mend.
Tables TablesOf(const RunFolder& run) {
  Tables tables;
  for (const auto& [prefix, line] : run.lines()) {
    const std::string folder = line.folder();
    Table& table =
        tables.try_emplace(folder, folder, IsInUse(folder)).first->second;
    table.harms.Add(line.harms);
    table.is_of_scylla |= NameExists(line.prefix + "Scylla.db");
  }
  return tables;
}

// Installs a run, or undoes it, and prints the report.
ExitCode RunInstallOf(const RunFolder& run, const InstallOptions& options,
                      OutcomeReport* report) {
  ProgressBar progress(options.undo ? "putting back" : "installing");
  uint64_t num_done = 0;
  // Whether a wrong filter is away: replaced, now or before, or gone with its
  // SSTable, by a compaction that may have asked it.
  bool is_away = false;
  const InstallSums sums = Install(run, options, [&](const Outcome& outcome) {
    is_away |= outcome.kind == Outcome::kInstalled ||
               outcome.kind == Outcome::kUnchanged ||
               outcome.kind == Outcome::kGone;
    report->AddOutcome(outcome);
    progress.ShowText(Count(++num_done, "SSTable"));
  });
  if (!sums.warning.empty()) {
    PrintError(Unusable("the install would not begin: " + sums.warning));
    report->Add(Harm::kNotKnown);
  }
  std::string text;
  const uint64_t num_gone = report->num(Outcome::kGone);
  if (2 * num_gone > sums.num_listed) {
    report->Add(Harm::kNotKnown);
    text += std::to_string(num_gone) + " of " +
            Count(sums.num_listed, "SSTable") +
            " are gone: this is an old run, or not of this node; scan again\n";
  }
  const Tables tables = TablesOf(run);
  if (!options.undo) {
    for (const std::string& folder : sums.snapshots) {
      text += Printable(folder) +
              ": keeps the old filters; mend a copy before you restore it\n";
    }
    if (is_away && !sums.has_ended) {
      text += AdviceText(tables, /*after_install=*/true);
    }
    if (report->num(Outcome::kInstalled) > 0 && !options.dry_run) {
      text += "To put the old filters back: filterdb install " +
              Printable(Quoted(run.path())) + " --undo" +
              (options.node_is_down ? " --node-is-down" : "") + "\n";
    }
  }
  if (sums.has_ended) {
    text +=
        "ended at what is in use; what is not changed is as it was. Stop what "
        "has it open, and run the same line again\n";
  }
  return report->FinishWith({{"run", run.path()},
                             {"tables_to_repair", RepairJson(tables)},
                             {"snapshots", sums.snapshots}},
                            text);
}

ExitCode RunInstall(const InstallArguments& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const InstallOptions& options = arguments.options;
  const auto run = RunFolder::ForInstall(
      arguments.run, std::string(options.undo ? " --undo" : "") +
                         (options.dry_run ? " --dry-run" : "") +
                         (options.node_is_down ? " --node-is-down" : ""));
  OutcomeReport report(arguments.json);
  return RunInstallOf(*run, options, &report);
}

// ---- mend ----

struct MendArguments {
  ScanPaths scan;
  std::string run;
  bool in_place = false;
  bool node_is_down = false;
  bool json = false;
};

ExitCode RunMend(const MendArguments& options) {
  // Mending goes on if nobody reads the output any more. At the end, Finish
  // (console.cc) reports that the output could not be written.
  ::signal(SIGPIPE, SIG_IGN);
  if (options.run.empty()) {
    throw WrongUsage(
        "give --run=DIR, a new folder that only you may write to: the new "
        "filters are built there while the node runs, and 'filterdb install "
        "DIR' puts them in place while it is down. With --in-place, both are "
        "done at once");
  }
  auto run = RunFolder::ForMend(options.run, options.scan.paths);
  ScanPaths scan = options.scan;
  if (scan.jobs == 0 && options.in_place) {
    constexpr unsigned kMostUnasked = 8;  // Each holds a filter in memory.
    scan.jobs = std::min(std::thread::hardware_concurrency(), kMostUnasked);
  }
  OutcomeReport report(options.json, scan.paths);
  std::mutex mutex;  // Of the report.
  ExaminePaths(
      scan, &report,
      [&](const Examined& examined) {
        const Outcome outcome = BuildIntoRun(examined, run.get());
        const std::lock_guard<std::mutex> lock(mutex);
        report.AddOutcome(outcome);
      },
      [](const Examined&) {});
  run->Sync();
  const std::string path = run->path();
  if (options.in_place) {
    run.reset();  // To read its list.
    InstallOptions install;
    install.node_is_down = options.node_is_down;
    install.after_mend = true;
    return RunInstallOf(*RunFolder::ForInstall(path), install, &report);
  }
  std::string text;
  if (report.num(Outcome::kBuilt) > 0) {
    text += "Nothing is changed yet. Stop the node, then: filterdb install " +
            Printable(Quoted(path)) + "\n";
  }
  return report.FinishWith({{"run", path}}, text);
}

CLI::Option* AddNodeIsDown(CLI::App* command, bool* node_is_down) {
  return command->add_flag(
      "--node-is-down", *node_is_down,
      "You have seen that the node is down. Counts only where the file system "
      "does not tell whether a file is open");
}

}  // namespace

void AddMend(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "mend",
      "Builds the filters anew that scan finds faulty, from keys that are each "
      "compared with Data.db, into a folder of their own. Changes no SSTable; "
      "the node may run. Work as the user of the node");
  command->footer(
      "Example: filterdb mend /var/lib/cassandra/data "
      "--run=/var/lib/filterdb/run1");
  auto* const options = NewOptions(command, run, RunMend);
  options->scan.examine.rewrite_digests = false;
  command
      ->add_option("--run", options->run,
                   "The folder of the run, which gets the new filters, and "
                   "what install needs to put them in place. A killed mend is "
                   "continued by the same line")
      ->type_name("DIR");
  auto* const in_place = command->add_flag(
      "--in-place", options->in_place,
      "Also install, at once: for an import, a copy, a node that is down. "
      "Without --jobs, a thread for each CPU, at most 8. Undone by install DIR "
      "--undo");
  AddNodeIsDown(command, &options->node_is_down)->needs(in_place);
  command->add_flag(
      "--oversized", options->scan.examine.oversized,
      "Also rebuild filters that only take more than twice the memory of the "
      "plan");
  command->add_flag(
      "--rewrite-digests", options->scan.examine.rewrite_digests,
      "Also mend SSTables of ScyllaDB whose Scylla.db holds the checksum of "
      "the filter; install changes it there");
  options->scan.AddTo(command);
  AddJson(command, &options->json);
}

void AddInstall(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "install",
      "Puts the new filters of a run (mend --run=DIR) in place, and keeps the "
      "old ones in DIR/old. The node must be down. A killed install is "
      "finished by the same line");
  command->footer("Example: filterdb install /var/lib/filterdb/run1");
  auto* const arguments = NewOptions(command, run, RunInstall);
  command->add_option("DIR", arguments->run, "The folder of the run")
      ->required();
  command->add_flag("--undo", arguments->options.undo,
                    "Put the old filters back that this run has replaced");
  command->add_flag("--dry-run", arguments->options.dry_run,
                    "Only say what would be done. The node may run");
  AddNodeIsDown(command, &arguments->options.node_is_down);
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
