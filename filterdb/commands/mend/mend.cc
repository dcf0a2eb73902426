// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/mend/mend_report.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/mender.h"
#include "filterdb/sstable/sstable_finder.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

struct MendArguments {
  ScanPaths scan;
  std::string out_dir;
  bool in_place = false;
  std::string backup_dir;
  bool no_backup = false;
  bool oversized = false;
  bool rewrite_digests = false;
  bool dry_run = false;
  bool undo = false;
  bool ignore_unseen_processes = false;
  bool json = false;

  MendPlan plan() const {
    MendPlan plan;
    plan.options.fp_chance = scan.default_fp_chance;
    plan.options.oversized = oversized;
    plan.out_dir = out_dir;
    plan.backup = {no_backup            ? Backup::kNone
                   : backup_dir.empty() ? Backup::kBeside
                                        : Backup::kFolder,
                   backup_dir};
    plan.rewrite_digests = rewrite_digests;
    plan.dry_run = dry_run;
    plan.ignore_unseen_processes = ignore_unseen_processes;
    return plan;
  }
};

std::vector<Sstable> SstablesOf(const std::vector<Examined>& findings) {
  std::vector<Sstable> sstables;
  for (const Examined& finding : findings) {
    sstables.push_back(finding.sstable);
  }
  return sstables;
}

// Throws Unusable if `backup_dir` is inside one of `paths`, because later scans
// would report the backups as SSTables without a Data.db.
void CheckIsOutside(const std::string& backup_dir,
                    const std::vector<std::string>& paths) {
  std::error_code failure;
  const fs::path backups =
      fs::weakly_canonical(fs::absolute(backup_dir, failure), failure);
  for (const std::string& path : paths) {
    const fs::path real = fs::canonical(path, failure);
    const fs::path folder =
        fs::is_directory(real, failure) ? real : real.parent_path();
    if (!folder.empty() && std::mismatch(folder.begin(), folder.end(),
                                         backups.begin(), backups.end())
                                   .first == folder.end()) {
      throw Unusable(backup_dir + ": is below PATH (" + folder.string() +
                     "); give a folder outside");
    }
  }
}

void CheckIsFolder(const std::string& backup_dir) {
  std::error_code failure;
  if (!fs::is_directory(backup_dir, failure)) {
    throw Unusable(backup_dir + ": " +
                   (failure ? failure.message() : "is no folder") +
                   "; give the --backup-dir that mend was given");
  }
}

// The messages have absolute paths, because --backup-dir keeps backups under
// the absolute paths of the filters.
std::vector<std::string> NoBackupsOf(const MendArguments& options) {
  std::vector<std::string> lines;
  for (const std::string& path : options.scan.paths) {
    std::error_code failure;
    const fs::path real = fs::canonical(path, failure);
    lines.push_back(options.backup_dir + " holds no backups of " +
                    (failure ? path : real.string()));
  }
  return lines;
}

void MendAll(const MendArguments& options, MendReport* report) {
  const Scanned scanned = Scan(
      options.scan,
      {options.oversized, options.rewrite_digests, !options.out_dir.empty()});
  report->AddErrors(scanned.errors);
  report->SetLeftOut(scanned.left_out);
  report->SetNotExamined(static_cast<size_t>(
      std::count_if(scanned.sstables.begin(), scanned.sstables.end(),
                    [](const Examined& finding) {
                      return finding.sstable.state != SstableState::kLive;
                    })));
  ProgressBar progress("mending");
  uint64_t num_added = 0;
  uint64_t num_keys = 0;
  Mender mender(options.plan(), [&](uint64_t num_new) {
    num_added += num_new;
    progress.Show(num_added, num_keys);
    return true;
  });
  num_keys = mender.KeysToAdd(scanned.sstables);
  if (options.in_place && !options.dry_run) {
    mender.RemoveLeftOvers(SstablesOf(scanned.sstables));
  }
  for (const Examined& finding : scanned.sstables) {
    const auto outcome = mender.Mend(finding);
    progress.Wipe();
    if (outcome) {
      report->Add(*outcome);
    }
  }
  if (!options.json) {
    report->PrintSums(options.plan(), mender.has_other_links());
  }
}

void UndoAll(const MendArguments& options, MendReport* report) {
  const FoundSstables found = FindSstables(options.scan.paths);
  report->AddErrors(found.errors);
  report->SetLeftOut(found.left_out);
  Mender mender(options.plan(), [](uint64_t) { return true; });
  mender.RemoveLeftOvers(found.sstables);
  bool has_outcome = false;
  for (const Sstable& sstable : found.sstables) {
    const auto outcome = mender.Undo(sstable);
    if (outcome) {
      has_outcome = true;
      report->Add(*outcome);
    }
  }
  if (!found.sstables.empty() && !has_outcome && !mender.has_kept_folder()) {
    report->SetNoBackups(NoBackupsOf(options));
  }
  if (!options.json) {
    report->PrintSumsOfUndo();
    if (!has_outcome && options.backup_dir.empty()) {
      std::printf(
          "No old filters are kept beside the SSTables. If mend was given a "
          "--backup-dir, give it to --undo, too.\n");
    }
  }
}

void MendOrUndo(const MendArguments& options, MendReport* report) {
  if (!options.in_place && options.out_dir.empty() && !options.dry_run &&
      !options.undo) {
    throw Unusable(
        "say where the new filters go: --in-place, --out-dir=DIR, or --dry-run "
        "to see what would be done");
  }
  // Only this user may open a temporary file, until the file gets the mode of
  // the file that it replaces.
  if (options.in_place || options.undo) {
    umask(077);
  }
  if (!options.backup_dir.empty()) {
    if (options.undo) {
      CheckIsFolder(options.backup_dir);
    } else {
      CheckIsOutside(options.backup_dir, options.scan.paths);
    }
  }
  if (options.undo) {
    UndoAll(options, report);
  } else {
    MendAll(options, report);
  }
}

ExitCode RunMend(const MendArguments& options) {
  // SIGPIPE is ignored, so that mending goes on if nobody reads the output any
  // more. At the end, Finish (main.cc) reports that the output could not be
  // written.
  ::signal(SIGPIPE, SIG_IGN);
  MendReport report(options.json);
  try {
    MendOrUndo(options, &report);
  } catch (const std::exception& error) {
    if (!options.json) {
      throw;
    }
    PrintError(error);
    report.AddErrors({error.what()});
  }
  if (options.json) {
    report.PrintDocument(/*interrupted=*/false);
  }
  std::fflush(stdout);
  return report.exit_code();
}

}  // namespace

void AddMend(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "mend",
      "Makes the filters anew that scan finds faulty. The node must be down "
      "for --in-place and --undo");
  auto* const options = NewOptions(command, run, RunMend);
  options->scan.AddTo(command);
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
          ->type_name("DIR")
          ->excludes(out_dir);
  auto* const no_backup = command
                              ->add_flag("--no-backup", options->no_backup,
                                         "Do not keep the old filters")
                              ->excludes(backup_dir);
  auto* const dry_run = command->add_flag("--dry-run", options->dry_run,
                                          "Only say what would be done");
  auto* const oversized =
      command->add_flag("--oversized", options->oversized,
                        "Also rebuild filters that only take more than twice "
                        "the memory of the plan");
  auto* const rewrite_digests =
      command
          ->add_flag("--rewrite-digests", options->rewrite_digests,
                     "Also mend SSTables of ScyllaDB whose Scylla.db holds the "
                     "checksum of the filter, and change it there")
          ->excludes(out_dir);
  command
      ->add_flag("--undo", options->undo,
                 "Put the old filters back that --in-place has kept")
      ->excludes(in_place)
      ->excludes(out_dir)
      ->excludes(no_backup)
      ->excludes(oversized)
      ->excludes(rewrite_digests)
      ->excludes(dry_run);
  command->add_flag("--ignore-unseen-processes",
                    options->ignore_unseen_processes,
                    "Mend or undo although not every process can be examined, "
                    "so that one that has the SSTable open may not be seen");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
