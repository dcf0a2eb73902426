// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/mend/mend_test.cc.

#include <signal.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "filterdb/commands/advice.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/install_report.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/mending/build.h"
#include "filterdb/mending/install.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

struct MendArguments {
  ScanPaths scan;
  std::string run;
  bool in_place = false;
  bool node_is_down = false;
  bool json = false;
};

// Refuses a folder in one of `paths`, or in another folder with SSTables. A
// node may take the filters there for its own.
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
  CheckIsOutside(options.run, options.scan.paths);
  auto run = RunFolder::ForMend(options.run);
  ScanPaths scan = options.scan;
  if (scan.jobs == 0 && options.in_place) {
    scan.jobs = std::thread::hardware_concurrency();
  }
  Report report(options.json);
  std::mutex mutex;  // Of the report.
  PathFinder finder(scan.paths, options.json);
  ExaminePaths(
      scan, &finder,
      [&](const Examined& examined) {
        const Outcome outcome = BuildIntoRun(examined, run.get());
        const std::lock_guard<std::mutex> lock(mutex);
        report.Add(outcome);
      },
      [](const Examined&) {});
  report.AddHarm(finder.harm());
  std::string error;
  if (!run->Sync(&error)) {
    throw Unusable(error);
  }
  const std::string path = run->path();
  if (options.in_place) {
    run.reset();  // To read its list.
    InstallOptions install;
    install.node_is_down = options.node_is_down;
    install.after_mend = true;
    return RunInstallOf(*RunFolder::ForInstall(path), install, &report);
  }
  std::string text = finder.Text();
  if (report.num(Outcome::kBuilt) + report.num(Outcome::kTocBuilt) > 0) {
    text += "Nothing is changed yet. Stop the node, then: filterdb install " +
            Printable(Quoted(path)) + "\n";
  }
  Json json = {{"run", path}};
  json.update(finder.ToJson());
  return report.Finish(json, text);
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
      "Also install, at once, with all CPUs: for an import, a copy, a node "
      "that is down. Undone by install DIR --undo");
  command
      ->add_flag(
          "--node-is-down", options->node_is_down,
          "You have seen that the node is down. Counts only where the file "
          "system does not tell whether a file is open")
      ->needs(in_place);
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

}  // namespace cassandra_bloom::tools
