// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/mend/mend_report.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/mender.h"
#include "filterdb/mending/undo.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

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
  if (!options.backup_dir.empty()) {
    CheckIsOutside(options.backup_dir, options.scan.paths);
  }
  const Scanned scanned = Scan(
      options.scan,
      {options.oversized, options.rewrite_digests, !options.out_dir.empty()});
  report->AddErrors(scanned.errors);
  report->SetLeftOut(scanned.left_out);
  std::set<std::string> folders;
  size_t num_not_examined = 0;
  for (const Examined& examined : scanned.sstables) {
    folders.insert(examined.sstable.folder);
    num_not_examined += examined.sstable.state == SstableState::kLive ? 0 : 1;
  }
  report->SetNotExamined(num_not_examined);
  if (!options.dry_run && options.out_dir.empty()) {
    RemoveLeftOvers(folders);
  }
  RunBackup backup(options.backup_dir);
  MendPlan plan;
  plan.out_dir = options.out_dir;
  plan.backup = options.backup_dir.empty() ? nullptr : &backup;
  plan.dry_run = options.dry_run;
  plan.node_is_down = options.node_is_down;
  ProgressBar progress("mending");
  const uint64_t num_keys = KeysToAdd(scanned.sstables);
  uint64_t num_added = 0;
  MendAll(
      scanned.sstables, plan,
      [&](uint64_t num_new) {
        num_added += num_new;
        progress.Show(num_added, num_keys);
      },
      [&](const MendOutcome& outcome) {
        progress.Wipe();
        report->Add(outcome);
      });
  if (!backup.folder().empty()) {
    report->SetBackup(backup.folder());
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
  // (main.cc) reports that the output could not be written.
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
    report.AddErrors({error.what()});
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
