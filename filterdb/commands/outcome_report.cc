// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/outcome_report.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/progress_bar.h"

namespace cassandra_bloom::tools {
namespace {

std::string TextOf(const Outcome& outcome) {
  std::string text = outcome.path;
  std::string before;
  for (const std::string& part :
       {outcome.verdict, std::string(NameOf(outcome.kind)), outcome.note}) {
    text += part.empty() || part == before ? "" : ": " + part;
    before = part;
  }
  if (outcome.num_bytes > 0 && outcome.kind == Outcome::kBuilt) {
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
          {"harm_left", NameOf(outcome.left.worst())},
          {"bytes", is_built ? Json(outcome.num_bytes) : Json()},
          {"keys", is_built ? Json(outcome.num_keys) : Json()}};
}

// The tables whose SSTables hid rows, or are damaged, before the mend.
std::vector<TableHarm> HarmsOf(const RunFolder& run) {
  std::map<std::string, TableHarm> tables;
  for (const RunLine& line : run.lines()) {
    const std::string folder =
        std::filesystem::path(line.prefix).parent_path().string();
    TableHarm& table = tables[folder];
    table.folder = folder;
    table.harms.Add(line.harms);
  }
  std::vector<TableHarm> list;
  for (auto& [folder, table] : tables) {
    list.push_back(std::move(table));
  }
  return list;
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
  if (outcome.kind != Outcome::kBuilt && !outcome.note.empty()) {
    ++reasons_[outcome.note];
  }
  if (as_json_) {
    PrintJsonLine(ToJson(outcome));
  } else {
    PrintText(TextOf(outcome));
  }
  std::fflush(stdout);
}

uint64_t Report::num(Outcome::Kind kind) const {
  const auto found = sums_.find(kind);
  return found == sums_.end() ? 0 : found->second;
}

ExitCode Report::Finish(const Json& more, const std::string& text) {
  const auto exit_code = static_cast<ExitCode>(left_.exit_status());
  if (as_json_) {
    Json total = Json::object();
    for (const auto& [kind, number] : sums_) {
      total[NameOf(kind)] = number;
    }
    Json summary = {{"exit_status", exit_code},
                    {"harm_left", NameOf(left_.worst())},
                    {"incomplete", left_.has(Harm::kNotKnown)},
                    {"total", total},
                    {"reasons", reasons_}};
    summary.update(more);
    PrintJsonLine({{"summary", summary}});
    return exit_code;
  }
  std::string sums;
  for (const auto& [kind, number] : sums_) {
    sums += (sums.empty() ? "" : ", ") + std::to_string(number) + " " +
            NameOf(kind);
  }
  PrintText((sums.empty() ? "nothing to do" : sums) + "\n");
  if (reasons_.size() > 1) {
    for (const auto& [reason, number] : reasons_) {
      PrintText("  " + std::to_string(number) + ": " + Printable(reason) +
                "\n");
    }
  }
  PrintText(text);
  return exit_code;
}

ExitCode RunInstallOf(const RunFolder& run, const InstallOptions& options,
                      Report* report) {
  ProgressBar progress(options.undo ? "putting back" : "installing");
  const InstallSums sums = Install(
      run, options, [&](const Outcome& outcome) { report->Add(outcome); },
      [&](double share) {
        progress.Show(static_cast<uint64_t>(1000 * share), 1000);
      });
  if (!sums.refusal.empty()) {
    throw Unusable("nothing was changed: " + sums.refusal);
  }
  std::string text;
  const uint64_t num_gone = report->num(Outcome::kGone);
  if (2 * num_gone > sums.num_listed) {
    report->AddHarm(Harm::kNotKnown);
    text += std::to_string(num_gone) + " of " +
            Count(sums.num_listed, "SSTable") +
            " are gone: this is an old run, or not of this node; scan again\n";
  }
  if (sums.has_ended) {
    text += "ended there; all before it is installed, and nothing after it\n";
  }
  for (const std::string& snapshot : sums.snapshots) {
    text += Printable(snapshot) +
            ": snapshots keep their old filters; mend a copy before you "
            "restore one\n";
  }
  const std::vector<TableHarm> tables = HarmsOf(run);
  if (!options.undo) {
    text += RepairText(tables);
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

}  // namespace cassandra_bloom::tools
