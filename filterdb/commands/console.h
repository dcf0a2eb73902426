// SPDX-License-Identifier: Apache-2.0

// What every command-line program of this repository does alike: filterdb, and
// sst_filters (tools/sst_filters).
//
// Tested in filterdb/tests/commands/bad_lines_test.cc.
// Tested in filterdb/tests/commands/filter_files_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_

#include <CLI/App.hpp>  // CLI/CLI.hpp takes twice as long to compile.
#include <functional>
#include <memory>
#include <string>
#include <vector>

// In CLI11 2.6, App.hpp does not declare IsMember and Transformer.
#if __has_include(<CLI/ExtraValidators.hpp>)
#include <CLI/ExtraValidators.hpp>
#endif

#include "filterdb/commands/output.h"

namespace cassandra_bloom::tools {

using Run = std::function<ExitCode()>;

// Returns what took the place of a command or an option that was in an earlier
// release, or "". `words` are those of the command line.
using WhatTookItsPlace =
    std::function<std::string(const std::vector<std::string>& words)>;

// Runs the program `name`. `exit_statuses` explains them in its help.
// `add_commands` adds its subcommands to the CLI::App.
// Parsing the command line sets `*run` to the work of the one that it names.
// Returns the exit status.
int RunProgram(const std::string& name, const std::string& description,
               const std::string& exit_statuses,
               const std::function<void(CLI::App* app, Run* run)>& add_commands,
               int argc, char** argv,
               const WhatTookItsPlace& what_took_its_place = nullptr);

// Creates the options of a subcommand. The options live as long as `command`.
// If the command line names the subcommand, parsing sets `*run` to call
// `run_with`.
template <typename Options>
Options* NewOptions(CLI::App* command, Run* run,
                    ExitCode (*run_with)(const Options&)) {
  const auto options = std::make_shared<Options>();
  command->callback([=] { *run = [=] { return run_with(*options); }; });
  return options.get();
}

void AddJson(CLI::App* command, bool* json);

// Validators of numbers. CLI::Range would let NaN pass.
CLI::Validator IsBitsPerKey();
CLI::Validator IsFpChance();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_
