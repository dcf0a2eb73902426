// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.

#include <signal.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/install_report.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/commands/scan_paths.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

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

std::string TextOf(const Json& outcome) {
  std::string text = outcome["filter"];
  std::string before;
  for (const std::string part :
       {outcome["verdict"], outcome["outcome"], outcome["note"]}) {
    text += part.empty() || part == before ? "" : ": " + part;
    before = part;
  }
  if (!outcome["keys"].is_null()) {
    text += ", " + Count(outcome["bytes"], "byte") + " for " +
            Count(outcome["keys"], "key");
  }
  return Printable(text) + "\n";
}

// What was found before the mend.
TableHarms HarmsOf(const RunFolder& run) {
  TableHarms tables;
  for (const auto& [prefix, line] : run.lines()) {
    TableHarm& table = tables[line.folder()];
    table.harms.Add(line.harms);
    table.is_of_scylla |= NameExists(line.prefix + "Scylla.db");
  }
  return tables;
}

}  // namespace

void Report::Add(const Outcome& outcome) {
  left_.Add(outcome.left);
  const bool is_worth_a_line =
      outcome.kind != Outcome::kUnchanged || !outcome.note.empty();
  if (!is_worth_a_line) {
    return;
  }
  ++sums_[outcome.kind];
  const Json json = ToJson(outcome);
  if (as_json_) {
    PrintJsonLine(json);
  } else {
    PrintText(TextOf(json));
  }
  std::fflush(stdout);
}

uint64_t Report::num(Outcome::Kind kind) const {
  const auto found = sums_.find(kind);
  return found == sums_.end() ? 0 : found->second;
}

ExitCode Report::Finish(const Json& more, const std::string& text) {
  Json total = Json::object();
  std::string sums;
  for (const auto& [kind, number] : sums_) {
    total[NameOf(kind)] = number;
    sums += (sums.empty() ? "" : ", ") + std::to_string(number) + " " +
            NameOf(kind);
  }
  Json json = {{"total", total}};
  json.update(more);
  return tools::Finish(left_, as_json_, json,
                       (sums.empty() ? "nothing to do" : sums) + "\n" + text);
}

ExitCode RunInstallOf(const RunFolder& run, const InstallOptions& options,
                      Report* report) {
  ProgressBar progress(options.undo ? "putting back" : "installing");
  const InstallSums sums = Install(
      run, options, [&](const Outcome& outcome) { report->Add(outcome); },
      [&](double share) {
        progress.Show(static_cast<uint64_t>(1000 * share), 1000);
      });
  std::string text;
  const uint64_t num_gone = report->num(Outcome::kGone);
  if (2 * num_gone > sums.num_listed) {
    report->AddHarm(Harm::kNotKnown);
    text += std::to_string(num_gone) + " of " +
            Count(sums.num_listed, "SSTable") +
            " are gone: this is an old run, or not of this node; scan again\n";
  }
  if (sums.has_ended) {
    text += "ended at what is in use; what is not changed is as it was\n";
  }
  for (const std::string& snapshot : sums.snapshots) {
    text += Printable(snapshot) +
            ": snapshots keep their old filters; mend a copy before you "
            "restore one\n";
  }
  const TableHarms tables = HarmsOf(run);
  if (!options.undo) {
    text += AdviceText(tables, /*after_install=*/true);
    if (report->num(Outcome::kInstalled) > 0 && !options.dry_run) {
      text += "To put the old filters back: filterdb install " +
              Printable(Quoted(run.path())) + " --undo" +
              (options.node_is_down ? " --node-is-down" : "") + "\n";
    }
  }
  return report->Finish({{"run", run.path()},
                         {"tables_to_repair", RepairJson(tables)},
                         {"snapshots", sums.snapshots}},
                        text);
}

// ---- The command ----

namespace {

struct InstallArguments {
  std::string run;
  InstallOptions options;
  bool json = false;
};

ExitCode RunInstall(const InstallArguments& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto run = RunFolder::ForInstall(arguments.run);
  Report report(arguments.json);
  return RunInstallOf(*run, arguments.options, &report);
}

}  // namespace

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
  command->add_flag(
      "--node-is-down", arguments->options.node_is_down,
      "You have seen that the node is down. Counts only where the file system "
      "does not tell whether a file is open");
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
