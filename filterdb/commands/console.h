// SPDX-License-Identifier: Apache-2.0

// What every command-line program of this repository does alike: filterdb, and
// sst_filters (tools/sst_filters).
//
// Tested in filterdb/tests/commands/bad_lines_test.cc.
// Tested in filterdb/tests/commands/answers_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_

#include <CLI/App.hpp>  // CLI/CLI.hpp takes twice as long to compile.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

// In CLI11 2.6, App.hpp does not declare IsMember and Transformer.
#if __has_include(<CLI/ExtraValidators.hpp>)
#include <CLI/ExtraValidators.hpp>
#endif

#include "filterdb/commands/output.h"

namespace cassandra_bloom::tools {

using Run = std::function<ExitCode()>;

// Runs the program `name`. `add_commands` adds its subcommands to the CLI::App.
// Parsing the command line sets `*run` to the work of the one that it names.
// Returns the exit status.
int RunProgram(const std::string& name, const std::string& description,
               const std::function<void(CLI::App* app, Run* run)>& add_commands,
               int argc, char** argv);

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

// Validators of numbers. CLI11 alone would read -5 as 2^64 - 5.
CLI::Validator IsBitsPerKey();
CLI::Validator IsFpChance();
CLI::Validator IsPositive();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_CONSOLE_H_
