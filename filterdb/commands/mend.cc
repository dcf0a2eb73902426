// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/mender.h"
#include "filterdb/mending/run_backup.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// ---- The report ----

struct KindInfo {
  MendOutcome::Kind kind;
  const char* name;
  ExitCode exit_code;
};

// kWritten is a fault, because the node still uses the old filter.
constexpr KindInfo kKinds[] = {
    {MendOutcome::kMended, "mended", kGood},
    {MendOutcome::kWritten, "written", kFault},
    {MendOutcome::kWouldMend, "would be mended", kFault},
    {MendOutcome::kUndone, "put back", kGood},
    {MendOutcome::kWouldUndo, "would be put back", kFault},
    {MendOutcome::kUnchanged, "unchanged", kGood},
    {MendOutcome::kLeft, "left", kFault},
    {MendOutcome::kFailed, "failed", kUnusable},
    {MendOutcome::kNotKnown, "not known", kUnusable},
    {MendOutcome::kNotExamined, "not examined", kGood},
    {MendOutcome::kNotDone, "not done", kFault}};

const char* NameOf(MendOutcome::Kind kind) {
  return std::find_if(
             std::begin(kKinds), std::end(kKinds),
             [kind](const KindInfo& info) { return info.kind == kind; })
      ->name;
}

Json ToJson(const MendOutcome& outcome) {
  const Examined* const examined = outcome.examined;
  const bool is_made = outcome.size > 0;
  return {{"filter", outcome.filter},
          {"verdict", examined != nullptr ? examined->VerdictText() : ""},
          {"outcome", NameOf(outcome.kind)},
          {"note", outcome.note},
          {"bytes", is_made ? Json(outcome.size) : Json()},
          {"keys", is_made ? Json(examined->num_keys) : Json()},
          {"out", outcome.out}};
}

std::string TextOf(const Json& json) {
  std::string text = json["filter"];
  std::string before;
  for (const char* const field : {"verdict", "outcome", "note"}) {
    const std::string part = json[field];
    text += part.empty() || part == before ? "" : ": " + part;
    before = part;
  }
  if (!json["bytes"].is_null()) {
    text += ", " + Count(json["bytes"], "byte") + " for " +
            Count(json["keys"], "key");
  }
  text += json["out"] == "" ? "" : " -> " + json["out"].get<std::string>();
  return Printable(text) + "\n";
}

Json NewReport() {
  Json total = Json::object();
  for (const KindInfo& info : kKinds) {
    total[info.name] = 0;
  }
  return {{"sstables", Json::array()},
          {"total", total},
          {"reasons", Json::object()},  // What an undo has left, and why.
          {"tables_to_repair", Json::array()},
          {"left_out_folders", Json::object()},
          {"errors", Json::array()}};
}

// Adds the outcome for one SSTable. Prints its text at once, so that a killed
// run has shown what it did. What was not done is only counted in the text.
void Add(const MendOutcome& outcome, bool as_json, Json* report) {
  Json& total = (*report)["total"][NameOf(outcome.kind)];
  total = total.get<size_t>() + 1;
  (*report)["sstables"].push_back(ToJson(outcome));
  if (!as_json && outcome.kind != MendOutcome::kNotDone) {
    PrintText(TextOf((*report)["sstables"].back()));
    std::fflush(stdout);
  }
}

// Returns a word that the shell reads as `text`.
std::string Quoted(const std::string& text) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@";
  if (text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '\'' ? "'\"'\"'" : std::string(1, c);
  }
  return "'" + quoted + "'";
}

std::string SumsText(const Json& report) {
  const std::string not_done = NameOf(MendOutcome::kNotDone);
  std::string sums;
  for (const auto& [name, number] : report["total"].items()) {
    if (number > 0 && name != not_done) {
      sums += (sums.empty() ? "" : ", ") + number.dump() + " " + name;
    }
  }
  if (sums.empty() && report["errors"].empty()) {
    sums = "nothing to do";
  }
  sums += sums.empty() ? "" : "\n";
  if (report["total"][not_done] > 0) {
    sums += "stopped there: " + Count(report["total"][not_done], "SSTable") +
            " not done; run the same line again\n";
  }
  for (const auto& [reason, number] : report["reasons"].items()) {
    sums += "  " + number.dump() + ": " + Printable(reason) + "\n";
  }
  sums += LeftOutText(report["left_out_folders"]) +
          RepairText(report["tables_to_repair"]);
  if (report["total"]["mended"] > 0 && report.contains("backup")) {
    sums += "To put the old filters back: filterdb mend --undo=" +
            Printable(Quoted(report["backup"])) + "\n";
  }
  return sums;
}

ExitCode ExitCodeOf(const Json& report) {
  ExitCode code = report["errors"].empty() ? kGood : kUnusable;
  for (const KindInfo& info : kKinds) {
    if (report["total"][info.name] > 0) {
      code = std::max(code, info.exit_code);
    }
  }
  return code;
}

// ---- The work ----

struct MendArguments {
  ScanPaths scan;
  std::string backup_dir;
  MendPlan plan;
  bool json = false;
};

// Refuses a folder in one of `paths`, or in another folder with SSTables. Later
// scans would report the filters there as SSTables without a Data.db, and a
// node may take them for its own.
void CheckIsOutside(const std::string& folder,
                    const std::vector<std::string>& paths) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(fs::absolute(folder), ignored);
  for (fs::path above = real; above.has_relative_path();
       above = above.parent_path()) {
    for (const std::string& path : paths) {
      if (fs::equivalent(above, path, ignored)) {
        throw Unusable(folder + ": is below PATH; give a folder outside");
      }
    }
    if (HoldsSstables(above.string())) {
      throw Unusable(folder + ": is below " + above.string() +
                     ", which holds SSTables; give a folder outside the data "
                     "directories");
    }
  }
}

void Mend(const MendArguments& options, Json* report) {
  MendPlan plan = options.plan;
  ScanPaths scan = options.scan;
  scan.examine.to_out_dir = !plan.out_dir.empty();
  for (const std::string& folder : {options.backup_dir, plan.out_dir}) {
    if (!folder.empty()) {
      CheckIsOutside(folder, options.scan.paths);
      OrUnusable([&](std::string* error) { return CanMake(folder, error); });
    }
  }
  const Scanned scanned = Scan(scan);
  (*report)["errors"] = scanned.errors;
  (*report)["left_out_folders"] = scanned.left_out;
  (*report)["tables_to_repair"] = scanned.tables_to_repair;
  if (!plan.dry_run && plan.out_dir.empty()) {
    std::set<std::string> folders;
    for (const Examined& examined : scanned.sstables) {
      folders.insert(examined.sstable.folder);
    }
    RemoveLeftOvers(folders);
  }
  RunBackup backup(options.backup_dir);
  plan.backup = options.backup_dir.empty() ? nullptr : &backup;
  MendAll(scanned.sstables, plan, [&](const MendOutcome& outcome) {
    // Said with the first filter that was, or may have been, replaced, so that
    // a run can be undone that is killed later.
    if (!backup.folder().empty() && !report->contains("backup") &&
        (outcome.kind == MendOutcome::kMended ||
         outcome.kind == MendOutcome::kFailed)) {
      (*report)["backup"] = backup.folder();
      std::fprintf(stderr, "The old filters are kept in %s\n",
                   Printable(backup.folder()).c_str());
    }
    Add(outcome, options.json, report);
  });
  if (!backup.folder().empty() && !report->contains("backup")) {
    std::error_code ignored;
    fs::remove_all(backup.folder(), ignored);
  }
}

void Undo(const MendArguments& options, Json* report) {
  const auto filters = OrUnusable([&](std::string* error) {
    auto list = ReadRunList(options.plan.undo, error);
    if (!list) {
      *error += "; give the folder that mend has made in --backup-dir";
    }
    return list;
  });
  // Why filters were left, or stay, and how many for each reason.
  std::map<std::string, uint64_t> reasons;
  UndoRun(*filters, options.plan, [&](const MendOutcome& outcome) {
    Add(outcome, options.json, report);
    if (outcome.kind == MendOutcome::kUnchanged ||
        outcome.kind == MendOutcome::kLeft) {
      ++reasons[outcome.note];
    }
  });
  (*report)["reasons"] = reasons;
}

ExitCode RunMend(const MendArguments& options) {
  // Mending goes on if nobody reads the output any more. At the end, Finish
  // (console.cc) reports that the output could not be written.
  ::signal(SIGPIPE, SIG_IGN);
  if (options.plan.undo.empty() == options.scan.paths.empty()) {
    throw Unusable(options.plan.undo.empty() ? "PATH is required"
                                             : "--undo takes no PATH");
  }
  Json report = NewReport();
  if (options.plan.undo.empty()) {
    Mend(options, &report);
  } else {
    Undo(options, &report);
  }
  if (options.json) {
    PrintJson(report);
  } else {
    PrintText(SumsText(report));
  }
  return ExitCodeOf(report);
}

}  // namespace

void AddMend(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "mend",
      "Makes the filters anew that scan finds faulty. The node must be down, "
      "except for --out-dir. Work as the user of the node");
  auto* const options = NewOptions(command, run, RunMend);
  ExamineOptions* const examine = &options->scan.examine;
  examine->rewrite_digests = false;
  auto* const undo =
      command
          ->add_option("--undo", options->plan.undo,
                       "Put the old filters of a run back. DIR is the folder "
                       "that the run has made in --backup-dir")
          ->type_name("DIR");
  command->add_flag("--dry-run", options->plan.dry_run,
                    "Only say what would be done");
  auto* const node_is_down = command->add_flag(
      "--node-is-down", options->plan.node_is_down,
      "You have seen that the node is down. Counts only where the file system "
      "does not tell whether a file is open");
  AddJson(command, &options->json);

  auto* const mending = command->add_option_group("to make filters anew");
  options->scan.AddTo(command, mending);
  mending->add_flag(
      "--oversized", examine->oversized,
      "Also rebuild filters that only take more than twice the memory of the "
      "plan");
  auto* const rewrite_digests = mending->add_flag(
      "--rewrite-digests", examine->rewrite_digests,
      "Also mend SSTables of ScyllaDB whose Scylla.db holds the checksum of "
      "the filter, and change it there");
  auto* const filters =
      mending->add_option_group("where they go")->require_option(1);
  filters
      ->add_option("--backup-dir", options->backup_dir,
                   "Replace the filters, and keep the old ones in a new folder "
                   "in DIR")
      ->type_name("DIR");
  filters->add_flag("--no-backup",
                    "Replace the filters, and do not keep the old ones");
  filters
      ->add_option("--out-dir", options->plan.out_dir,
                   "Write the new filters to DIR, in folders as below PATH")
      ->type_name("DIR")
      ->excludes(rewrite_digests)
      ->excludes(node_is_down);
  // Not the groups alone: then the message would name a group, not an option.
  mending->excludes(undo);
  for (CLI::App* const group :
       std::initializer_list<CLI::App*>{mending, filters}) {
    for (CLI::Option* const option : group->get_options()) {
      undo->excludes(option);
    }
  }
}

}  // namespace cassandra_bloom::tools
