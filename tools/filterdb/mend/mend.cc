// SPDX-License-Identifier: Apache-2.0

// The subcommand "filterdb mend".

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tools/filterdb/command.h"
#include "tools/filterdb/scan/scan_options.h"
#include "tools/filterdb/scan/scan_report.h"
#include "tools/sstable/health/decide_mend.h"
#include "tools/sstable/health/mend_filter.h"
#include "tools/sstable/health/open_files.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  ScanOptions scan;
  std::string out_dir;
  bool in_place = false;
  std::string backup_dir;
  bool no_backup = false;
  bool dry_run = false;
  bool undo = false;
  bool ignore_unseen_processes = false;
  bool json = false;

  BackupPlan backup() const {
    if (no_backup) {
      return {Backup::kNone, ""};
    }
    return backup_dir.empty() ? BackupPlan{Backup::kBeside, ""}
                              : BackupPlan{Backup::kFolder, backup_dir};
  }
};

// Why the SSTable cannot be changed now, or "".
std::string ReasonOfUse(const SstableFiles& files, const OpenFiles& open_files,
                        const Options& options) {
  const pid_t user = open_files.UserOf(files.Path("Data.db"));
  if (user != 0) {
    return "process " + std::to_string(user) +
           " has its Data.db open; stop the node first";
  }
  const std::string unseen = open_files.Unseen();
  if (unseen.empty() || options.ignore_unseen_processes) {
    return "";
  }
  return unseen +
         "; it may be the node: run mend as root, with the capability "
         "CAP_SYS_PTRACE, or give --ignore-unseen-processes if you know that "
         "the node is down";
}

// What was done about one SSTable.
struct Outcome {
  enum Kind { kMended, kWouldMend, kLeft, kFailed, kUndone };

  Kind kind;
  std::string sstable;  // The path of its Filter.db.
  std::string verdict;
  std::string reason;  // Why it was left, or could not be mended.
  std::string out;     // The file that was written.
  uint64_t num_keys = 0;
  uint64_t size = 0;  // Of the new filter, in bytes.
};

const char* NameOf(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::kMended:
      return "mended";
    case Outcome::kWouldMend:
      return "would be mended";
    case Outcome::kLeft:
      return "left";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kUndone:
      return "old filter put back";
  }
  return "";
}

class Mender {
 public:
  explicit Mender(const Options& options) : options_(options) {}

  void Mend(const FilterFinding& finding) {
    // The chance that the user gives stands above the plan here, because it is
    // said what to write.
    const MendDecision decision =
        DecideMend(finding, {options_.scan.fp_chance});
    if (decision.kind == MendDecision::kNothing ||
        // What goes to another folder needs no TOC.txt.
        (decision.kind == MendDecision::kCompleteToc &&
         !options_.out_dir.empty() && !finding.is_fault())) {
      return;
    }
    outcome_ = {};
    outcome_.kind = Outcome::kMended;
    outcome_.sstable = finding.files.Path("Filter.db");
    outcome_.verdict = VerdictText(finding);
    outcome_.num_keys = finding.num_keys;
    if (decision.kind == MendDecision::kLeave) {
      Leave(decision.reason);
    } else if (options_.out_dir.empty()) {
      MendInPlace(finding, decision);
    } else if (decision.kind == MendDecision::kCompleteToc) {
      Leave("only its TOC.txt is not complete; use --in-place");
    } else {
      WriteToOutDir(finding, decision.fp_chance);
    }
    outcomes_.push_back(outcome_);
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  bool has_other_links() const { return has_other_links_; }

 private:
  void Leave(const std::string& reason) {
    outcome_.kind = Outcome::kLeft;
    outcome_.reason = reason;
  }

  void Fail(const std::string& error) {
    outcome_.kind = Outcome::kFailed;
    outcome_.reason = error;
    PrintError(Unusable(error));
  }

  void MendInPlace(const FilterFinding& finding, const MendDecision& decision) {
    std::string error;
    const auto folder = PinnedFolder::Open(finding.files.folder, &error);
    if (folder == nullptr) {
      Fail(error);
      return;
    }
    std::string reason = ReasonOfUse(finding.files, open_files_, options_);
    if (reason.empty()) {
      // Nothing is to be kept of a filter that stays.
      reason = ReasonNotInPlace(finding, *folder,
                                decision.kind == MendDecision::kCompleteToc
                                    ? BackupPlan{Backup::kNone, ""}
                                    : options_.backup());
    }
    if (!reason.empty()) {
      Leave(reason);
      return;
    }
    if (options_.dry_run) {
      outcome_.kind = Outcome::kWouldMend;
    } else if (decision.kind == MendDecision::kCompleteToc) {
      if (!CompleteToc(finding.files, *folder, &error)) {
        Fail(error);
      }
    } else {
      ReplaceInPlace(finding, *folder, decision.fp_chance);
    }
  }

  void ReplaceInPlace(const FilterFinding& finding, const PinnedFolder& folder,
                      double fp_chance) {
    outcome_.out = finding.files.Path("Filter.db");
    std::string error;
    bool has_other_links = false;
    const auto filter = BuildFilterIn(folder, finding, fp_chance, &error);
    if (filter == nullptr ||
        !ReplaceFilter(finding, folder, *filter, options_.backup(),
                       &has_other_links, &error)) {
      Fail(error);
      return;
    }
    has_other_links_ |= has_other_links;
    SetSize(*filter);
  }

  void SetSize(const FilterDbBuilder& filter) {
    outcome_.size = 8 + 8 * uint64_t{filter.num_words()};
  }

  void WriteToOutDir(const FilterFinding& finding, double fp_chance) {
    const fs::path folder =
        fs::path(options_.out_dir) / finding.files.folder_below;
    std::error_code failure;
    if (fs::equivalent(folder, finding.files.folder, failure)) {
      Fail(folder.string() +
           ": is the folder of the SSTable; give another --out-dir, or "
           "--in-place");
      return;
    }
    outcome_.out = (folder / (finding.files.sstable + "Filter.db")).string();
    if (options_.dry_run) {
      outcome_.kind = Outcome::kWouldMend;
      return;
    }
    fs::create_directories(folder, failure);
    if (failure) {
      Fail(folder.string() +
           ": cannot create the folder: " + failure.message());
      return;
    }
    std::string error;
    const auto filter = BuildFilter(finding, fp_chance, &error);
    if (filter == nullptr ||
        !filter->Write(outcome_.out, /*overwrite=*/false, &error)) {
      Fail(error);
      return;
    }
    SetSize(*filter);
  }

  const Options& options_;
  const OpenFiles open_files_;
  Outcome outcome_ = {};
  std::vector<Outcome> outcomes_;
  bool has_other_links_ = false;
};

void Print(const Outcome& outcome) {
  std::printf("%s: ", Printable(outcome.sstable).c_str());
  if (!outcome.verdict.empty()) {
    std::printf("%s: ", outcome.verdict.c_str());
  }
  std::printf("%s", NameOf(outcome.kind));
  if (!outcome.reason.empty()) {
    std::printf(": %s", Printable(outcome.reason).c_str());
  }
  if (outcome.size > 0) {
    std::printf(", %s for %s", Count(outcome.size, "byte").c_str(),
                Count(outcome.num_keys, "key").c_str());
  }
  if (!outcome.out.empty() && outcome.out != outcome.sstable) {
    std::printf(" -> %s", Printable(outcome.out).c_str());
  }
  std::printf("\n");
}

Json ToJson(const Outcome& outcome) {
  Json json = {{"filter", outcome.sstable}, {"outcome", NameOf(outcome.kind)}};
  if (!outcome.verdict.empty()) {
    json["verdict"] = outcome.verdict;
  }
  if (!outcome.reason.empty()) {
    json["reason"] = outcome.reason;
  }
  if (!outcome.out.empty()) {
    json["out"] = outcome.out;
  }
  if (outcome.size > 0) {
    json["keys"] = outcome.num_keys;
    json["bytes"] = outcome.size;
  }
  return json;
}

void PrintOutcomes(const Options& options,
                   const std::vector<Outcome>& outcomes) {
  if (options.json) {
    Json all = Json::array();
    for (const Outcome& outcome : outcomes) {
      all.push_back(ToJson(outcome));
    }
    PrintJson({{"sstables", all}});
    return;
  }
  for (const Outcome& outcome : outcomes) {
    Print(outcome);
  }
}

size_t CountOf(const std::vector<Outcome>& outcomes, Outcome::Kind kind) {
  size_t count = 0;
  for (const Outcome& outcome : outcomes) {
    count += outcome.kind == kind ? 1 : 0;
  }
  return count;
}

ExitCode ExitCodeOf(const std::vector<Outcome>& outcomes) {
  if (CountOf(outcomes, Outcome::kFailed) > 0) {
    return kUnusable;
  }
  return CountOf(outcomes, Outcome::kLeft) +
                     CountOf(outcomes, Outcome::kWouldMend) >
                 0
             ? kFault
             : kGood;
}

void PrintSummary(const Options& options, const Mender& mender) {
  const auto& outcomes = mender.outcomes();
  if (options.dry_run) {
    std::printf("%zu would be mended, %zu left\n",
                CountOf(outcomes, Outcome::kWouldMend),
                CountOf(outcomes, Outcome::kLeft));
    return;
  }
  const size_t num_mended = CountOf(outcomes, Outcome::kMended);
  std::printf("%zu mended, %zu left, %zu failed\n", num_mended,
              CountOf(outcomes, Outcome::kLeft),
              CountOf(outcomes, Outcome::kFailed));
  if (num_mended > 0 && options.in_place) {
    std::printf("The node uses them from its next start on.\n");
  }
  if (mender.has_other_links()) {
    std::printf(
        "Old filters that are linked from elsewhere, as from snapshots, stay "
        "as they are there.\n");
  }
}

// Returns false if there is nothing to put back.
bool Undo(const SstableFiles& files, const Options& options,
          const OpenFiles& open_files, Outcome* outcome) {
  const BackupPlan backup = options.backup();
  outcome->kind = Outcome::kUndone;
  outcome->sstable = files.Path("Filter.db");
  if (!HasBackup(files, backup)) {
    return false;
  }
  outcome->reason = ReasonNotToTouch(files);
  if (outcome->reason.empty()) {
    outcome->reason = ReasonOfUse(files, open_files, options);
  }
  if (!outcome->reason.empty()) {
    outcome->kind = Outcome::kLeft;
  } else if (!UndoFilter(files, backup, &outcome->reason)) {
    outcome->kind = Outcome::kFailed;
    PrintError(Unusable(outcome->reason));
  }
  return true;
}

ExitCode RunUndo(const Options& options) {
  const FoundSstables found = Find(options.scan);
  const OpenFiles open_files;
  std::vector<Outcome> outcomes;
  for (const SstableFiles& files : found.sstables) {
    Outcome outcome = {};
    if (Undo(files, options, open_files, &outcome)) {
      outcomes.push_back(outcome);
    }
  }
  PrintOutcomes(options, outcomes);
  if (!options.json) {
    std::printf("%zu put back\n", CountOf(outcomes, Outcome::kUndone));
  }
  return found.errors.empty() ? ExitCodeOf(outcomes) : kUnusable;
}

// Of folders without a fault, too: a run may have been killed after the last
// one. ScyllaDB would not start if such a file outlived its SSTable.
void RemoveLeftOvers(const std::vector<FilterFinding>& findings) {
  std::set<std::string> folders;
  for (const FilterFinding& finding : findings) {
    folders.insert(finding.files.folder);
  }
  for (const std::string& name : folders) {
    std::string ignored_error;
    const auto folder = PinnedFolder::Open(name, &ignored_error);
    if (folder != nullptr) {
      folder->RemoveLeftOvers();
    }
  }
}

ExitCode RunMend(const Options& options) {
  if (!options.in_place && options.out_dir.empty() && !options.dry_run &&
      !options.undo) {
    throw Unusable(
        "say where the new filters go: --in-place, --out-dir=DIR, or --dry-run "
        "to see what would be done");
  }
  // Temporary files are for this user alone until they have the mode of the
  // files that they replace.
  if (options.in_place || options.undo) {
    umask(077);
  }
  if (options.undo) {
    return RunUndo(options);
  }
  const Scanned scanned = Scan(options.scan);
  if (options.in_place && !options.dry_run) {
    RemoveLeftOvers(scanned.findings);
  }
  Mender mender(options);
  for (const FilterFinding& finding : scanned.findings) {
    mender.Mend(finding);
  }
  PrintOutcomes(options, mender.outcomes());
  if (!options.json) {
    PrintSummary(options, mender);
    std::fputs(LeftOutText(scanned.left_out).c_str(), stdout);
  }
  return scanned.errors.empty() ? ExitCodeOf(mender.outcomes()) : kUnusable;
}

}  // namespace

void AddMend(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "mend",
      "Makes the filters anew that scan finds faulty. The node must be down "
      "for --in-place and --undo");
  auto* const options = NewOptions(command, run, RunMend);
  options->scan.AddTo(
      command,
      "Build all filters with this chance (default: the "
      "planned bloom_filter_fp_chance of each SSTable, from its "
      "Statistics.db)");
  auto* const in_place = command->add_flag(
      "--in-place", options->in_place,
      "Replace the filters; the old ones are kept beside them as ….bak");
  auto* const out_dir =
      command
          ->add_option("--out-dir", options->out_dir,
                       "Write the new filters to this folder, in folders as "
                       "below PATH")
          ->type_name("DIR")
          ->excludes(in_place);
  auto* const backup_dir =
      command
          ->add_option("--backup-dir", options->backup_dir,
                       "Keep the old filters in this folder")
          ->type_name("DIR");
  auto* const no_backup = command
                              ->add_flag("--no-backup", options->no_backup,
                                         "Do not keep the old filters")
                              ->excludes(backup_dir);
  auto* const dry_run = command->add_flag("--dry-run", options->dry_run,
                                          "Only say what would be done");
  command
      ->add_flag("--undo", options->undo,
                 "Put the old filters back that --in-place has kept")
      ->excludes(in_place)
      ->excludes(out_dir)
      ->excludes(no_backup)
      ->excludes(dry_run);
  command->add_flag("--ignore-unseen-processes",
                    options->ignore_unseen_processes,
                    "Mend or undo although not every process can be examined, "
                    "so that one that has the SSTable open may not be seen");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
