// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/mender.h"
#include "filterdb/mending/run_backup.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// ---- The report ----

struct KindInfo {
  MendOutcome::Kind kind;
  const char* outcome;  // Of one SSTable.
  const char* total;    // The field with the number of these. Also in the text.
  ExitCode exit_code;
};

// kWritten is a fault, because the node still uses the old filter.
constexpr KindInfo kKinds[] = {
    {MendOutcome::kMended, "mended", "mended", kGood},
    {MendOutcome::kWritten, "written", "written", kFault},
    {MendOutcome::kWouldMend, "would be mended", "would_be_mended", kFault},
    {MendOutcome::kUndone, "old filter put back", "put_back", kGood},
    {MendOutcome::kWouldUndo, "old filter would be put back",
     "would_be_put_back", kFault},
    {MendOutcome::kLeft, "left", "left", kFault},
    {MendOutcome::kFailed, "failed", "failed", kUnusable},
    {MendOutcome::kNotKnown, "not known", "not_known", kUnusable},
    {MendOutcome::kNotExamined, "not examined", "not_examined", kGood},
    {MendOutcome::kNotDone, "not done", "not_done", kFault}};

constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].kind != static_cast<MendOutcome::Kind>(i)) {
      return false;
    }
  }
  return std::size(kKinds) == MendOutcome::kNotDone + 1;
}
static_assert(IsInOrder(), "InfoOf takes the number of a kind as an index");

const KindInfo& InfoOf(MendOutcome::Kind kind) { return kKinds[kind]; }

Json ToJson(const MendOutcome& outcome) {
  Json json = {{"filter", outcome.filter},
               {"outcome", InfoOf(outcome.kind).outcome}};
  if (outcome.examined != nullptr) {
    json["verdict"] = outcome.examined->VerdictText();
  }
  if (!outcome.reason.empty()) {
    json["reason"] = outcome.reason;
  }
  if (!outcome.out.empty()) {
    json["out"] = outcome.out;
  }
  const bool is_made = outcome.kind == MendOutcome::kMended ||
                       outcome.kind == MendOutcome::kWritten;
  if (is_made && !outcome.only_toc) {
    json["keys"] = outcome.examined->num_keys;
    json["bytes"] = outcome.size;
  }
  if (outcome.only_toc && outcome.kind < MendOutcome::kLeft) {
    json["only_toc"] = true;
  }
  if (!outcome.warning.empty()) {
    json["warning"] = outcome.warning;
  }
  return json;
}

std::string TextOf(const Json& json) {
  std::string text = json["filter"].get<std::string>() + ": ";
  if (json.contains("verdict")) {
    text += json["verdict"].get<std::string>() + ": ";
  }
  text += json["outcome"];
  if (json.contains("reason")) {
    text += ": " + json["reason"].get<std::string>();
  }
  if (json.contains("bytes")) {
    text += ", " + Count(json["bytes"], "byte") + " for " +
            Count(json["keys"], "key");
  }
  if (json.contains("only_toc")) {
    text += ", only in TOC.txt or its digest";
  }
  if (json.contains("warning")) {
    text += ", " + json["warning"].get<std::string>();
  }
  if (json.contains("out")) {
    text += " -> " + json["out"].get<std::string>();
  }
  return Printable(text) + "\n";
}

// What mend has done.
class MendReport {
 public:
  explicit MendReport(bool as_json);

  // Adds the outcome for one SSTable. Prints its text at once, so that a killed
  // run has shown what it did.
  void Add(const MendOutcome& outcome);

  // The fields that do not come from an outcome.
  Json& json() { return json_; }

  // Prints the JSON, or the sums.
  void Print() const;

  ExitCode exit_code() const;

 private:
  void PrintSums() const;
  size_t Total(MendOutcome::Kind kind) const;

  const bool as_json_;
  Json json_;
};

MendReport::MendReport(bool as_json)
    : as_json_(as_json),
      json_({{"sstables", Json::array()},
             {"total", Json::object()},
             {"left_out_folders", Json::object()},
             {"errors", Json::array()}}) {
  for (const KindInfo& info : kKinds) {
    json_["total"][info.total] = 0;
  }
}

void MendReport::Add(const MendOutcome& outcome) {
  if (outcome.kind == MendOutcome::kFailed) {
    PrintError(Unusable(outcome.reason));
  }
  Json& total = json_["total"][InfoOf(outcome.kind).total];
  total = total.get<size_t>() + 1;
  json_["sstables"].push_back(ToJson(outcome));
  if (!as_json_) {
    PrintText(TextOf(json_["sstables"].back()));
    std::fflush(stdout);
  }
}

void MendReport::Print() const {
  if (as_json_) {
    PrintJson(json_);
  } else {
    PrintSums();
  }
}

void MendReport::PrintSums() const {
  std::string sums;
  for (const KindInfo& info : kKinds) {
    if (Total(info.kind) > 0) {
      std::string words = info.total;
      std::replace(words.begin(), words.end(), '_', ' ');
      sums += (sums.empty() ? "" : ", ") + std::to_string(Total(info.kind)) +
              " " + words;
    }
  }
  sums = sums.empty() ? "nothing to do" : sums;
  sums += "\n";
  if (Total(MendOutcome::kMended) > 0) {
    sums += "The node uses them from its next start on.\n";
  }
  if (Total(MendOutcome::kUndone) > 0) {
    sums +=
        "Filters that were made where there was none, and completed TOC.txt "
        "files, stay.\n";
  }
  if (json_.contains("backup") && Total(MendOutcome::kMended) > 0) {
    sums += "To put the old filters back: filterdb mend --undo=" +
            Printable(json_["backup"].get<std::string>()) + "\n";
  }
  PrintText(sums + LeftOutText(json_["left_out_folders"]));
}

size_t MendReport::Total(MendOutcome::Kind kind) const {
  return json_["total"][InfoOf(kind).total];
}

ExitCode MendReport::exit_code() const {
  ExitCode code = json_["errors"].empty() ? kGood : kUnusable;
  for (const KindInfo& info : kKinds) {
    if (Total(info.kind) > 0) {
      code = std::max(code, info.exit_code);
    }
  }
  return code;
}

// ---- The work ----

struct MendArguments {
  ScanPaths scan;
  std::string out_dir;
  std::string backup_dir;
  bool no_backup = false;
  bool oversized = false;
  bool rewrite_digests = false;
  std::string undo;
  bool dry_run = false;
  bool node_is_down = false;
  bool json = false;
};

// Refuses a folder in one of `paths`, or in another folder with SSTables. Later
// scans would report the filters there as SSTables without a Data.db, and a
// node may take them for its own. If a path is a file, its folder counts.
void CheckIsOutside(const std::string& folder,
                    const std::vector<std::string>& paths) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(fs::absolute(folder), ignored);
  for (const std::string& path : paths) {
    const fs::path given = fs::absolute(path);
    const fs::path place =
        fs::is_regular_file(given, ignored) ? given.parent_path() : given;
    const fs::path below =
        real.lexically_relative(fs::weakly_canonical(place, ignored));
    if (!below.empty() && *below.begin() != "..") {
      throw Unusable(folder + ": is below PATH; give a folder outside");
    }
  }
  for (fs::path above = real; above.has_relative_path();
       above = above.parent_path()) {
    if (HoldsSstables(above.string())) {
      throw Unusable(folder + ": is below " + above.string() +
                     ", which holds SSTables; give a folder outside the data "
                     "directories");
    }
  }
}

void Mend(const MendArguments& options, MendReport* report) {
  if (options.scan.paths.empty()) {
    throw Unusable("give a PATH, or --undo");
  }
  if (options.backup_dir.empty() && options.out_dir.empty() &&
      !options.no_backup) {
    throw Unusable(
        "say where the old filters are kept, --backup-dir=DIR or --no-backup, "
        "or where the new ones go, --out-dir=DIR; --dry-run only shows what "
        "would be done");
  }
  for (const std::string& folder : {options.backup_dir, options.out_dir}) {
    if (!folder.empty()) {
      CheckIsOutside(folder, options.scan.paths);
    }
  }
  const Scanned scanned = Scan(
      options.scan,
      {options.oversized, options.rewrite_digests, !options.out_dir.empty()});
  report->json()["errors"] = scanned.errors;
  report->json()["left_out_folders"] = scanned.left_out;
  std::set<std::string> folders;
  for (const Examined& examined : scanned.sstables) {
    folders.insert(examined.sstable.folder);
  }
  if (!options.dry_run && options.out_dir.empty()) {
    RemoveLeftOvers(folders);
  }
  ProgressBar progress("mending");
  // Said at once, so that a killed run can be undone.
  RunBackup backup(options.backup_dir, [&](const std::string& folder) {
    progress.Wipe();
    std::fprintf(stderr, "The old filters are kept in %s\n",
                 Printable(folder).c_str());
  });
  MendPlan plan;
  plan.out_dir = options.out_dir;
  plan.backup = options.backup_dir.empty() ? nullptr : &backup;
  plan.dry_run = options.dry_run;
  plan.node_is_down = options.node_is_down;
  const auto num_due = static_cast<uint64_t>(std::count_if(
      scanned.sstables.begin(), scanned.sstables.end(), HasMendWork));
  uint64_t num_done = 0;
  MendAll(scanned.sstables, plan, [&](const MendOutcome& outcome) {
    progress.Wipe();
    report->Add(outcome);
    num_done += outcome.kind == MendOutcome::kNotExamined ? 0 : 1;
    progress.Show(num_done, num_due);
  });
  if (!backup.folder().empty()) {
    report->json()["backup"] = backup.folder();
  }
}

void Undo(const MendArguments& options, MendReport* report) {
  const auto filters = OrUnusable([&](std::string* error) {
    auto list = ReadRunList(options.undo, error);
    if (!list) {
      *error += "; give the folder that mend has made in --backup-dir";
    }
    return list;
  });
  UndoRun(*filters, {options.undo, options.dry_run, options.node_is_down},
          [&](const MendOutcome& outcome) { report->Add(outcome); });
}

ExitCode RunMend(const MendArguments& options) {
  // Mending goes on if nobody reads the output any more. At the end, Finish
  // (console.cc) reports that the output could not be written.
  ::signal(SIGPIPE, SIG_IGN);
  MendReport report(options.json);
  try {
    if (options.undo.empty()) {
      Mend(options, &report);
    } else {
      Undo(options, &report);
    }
  } catch (const std::exception& error) {
    if (!options.json) {
      throw;
    }
    PrintError(error);
    report.json()["errors"].push_back(error.what());
  }
  report.Print();
  return report.exit_code();
}

}  // namespace

void AddMend(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "mend",
      "Makes the filters anew that scan finds faulty. The node must be down, "
      "except for --out-dir. Work as the user of the node");
  auto* const options = NewOptions(command, run, RunMend);
  options->scan.AddTo(command);
  auto* const undo =
      command
          ->add_option("--undo", options->undo,
                       "Put the old filters of a run back. DIR is the folder "
                       "that the run has made in --backup-dir")
          ->type_name("DIR");
  const auto add_folder = [&](const char* name, std::string* folder,
                              const char* help) {
    return command->add_option(name, *folder, help)
        ->type_name("DIR")
        ->excludes(undo);
  };
  const auto add_flag = [&](const char* name, bool* flag, const char* help) {
    return command->add_flag(name, *flag, help)->excludes(undo);
  };
  auto* const backup_dir =
      add_folder("--backup-dir", &options->backup_dir,
                 "Replace the filters, and keep the old ones in a new folder "
                 "in DIR");
  auto* const no_backup =
      add_flag("--no-backup", &options->no_backup,
               "Replace the filters, and do not keep the old ones")
          ->excludes(backup_dir);
  auto* const out_dir =
      add_folder("--out-dir", &options->out_dir,
                 "Write the new filters to DIR, in folders as below PATH")
          ->excludes(backup_dir)
          ->excludes(no_backup);
  add_flag("--oversized", &options->oversized,
           "Also rebuild filters that only take more than twice the memory of "
           "the plan");
  add_flag("--rewrite-digests", &options->rewrite_digests,
           "Also mend SSTables of ScyllaDB whose Scylla.db holds the checksum "
           "of the filter, and change it there")
      ->excludes(out_dir);
  for (const char* const name : {"PATH", "--default-fp-chance", "--jobs"}) {
    command->get_option(name)->required(false)->excludes(undo);
  }
  command->add_flag("--dry-run", options->dry_run,
                    "Only say what would be done");
  command
      ->add_flag("--node-is-down", options->node_is_down,
                 "You have seen that the node is down. Counts only where the "
                 "file system does not tell whether a file is open")
      ->excludes(out_dir);
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
