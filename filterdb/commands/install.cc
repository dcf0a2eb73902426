// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.

#include "filterdb/mending/install.h"

#include <signal.h>

#include <string>

#include "filterdb/commands/command.h"
#include "filterdb/commands/outcome_report.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {
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
