// SPDX-License-Identifier: Apache-2.0

// filterdb finds and mends the wrong Bloom filters of Cassandra and ScyllaDB
// nodes. It also works with single Filter.db files, and with the filters of
// RocksDB databases.

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cassandra_bloom/c.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/signals.h"

namespace cassandra_bloom::tools {
namespace {

std::string NamesOfCommands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

std::string UsageError(const std::string& what, const std::string& command) {
  return "filterdb: " + what + "\nsee filterdb " + command +
         (command.empty() ? "" : " ") + "--help\n";
}

std::string UsageErrorOf(const CLI::App* app, const CLI::Error& error) {
  const auto chosen = app->get_subcommands();
  if (!chosen.empty()) {
    return UsageError(error.what(), chosen[0]->get_name());
  }
  const auto words = app->remaining();
  return UsageError(
      (words.empty() ? "no command" : "'" + words[0] + "' is no command") +
          "; the commands are " + NamesOfCommands(*app),
      /*command=*/"");
}

bool IsOption(const std::string& word) {
  return word.size() > 2 && word.compare(0, 2, "--") == 0;
}

std::string EmptyValueOf(const std::string& name) {
  return name + ": its value is empty; give one, or leave the option out";
}

// Describes the first empty value in the command line, such as `--option=` or
// `--option ''`. Returns "" if there is none. Must be called before CLI11
// parses `words`, because CLI11 takes the next word as the value of
// `--option=`. CLI11 also never returns if an empty word fits no operand.
std::string EmptyValueIn(const std::vector<std::string>& words) {
  bool options_end = false;  // After "--", all words are operands.
  std::string before;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (!options_end && IsOption(word) && equals == word.size() - 1) {
      return EmptyValueOf(word.substr(0, equals));
    }
    if (word.empty()) {
      return !options_end && IsOption(before) &&
                     before.find('=') == std::string::npos
                 ? EmptyValueOf(before)
                 : "an operand is empty; give a value, or leave it out";
    }
    options_end |= word == "--";
    before = word;
  }
  return "";
}

bool HasEmptyValue(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string fault = EmptyValueIn(words);
  if (fault.empty()) {
    return false;
  }
  const auto named = app.get_subcommands(
      [&](const CLI::App* command) { return command->get_name() == words[0]; });
  std::fputs(UsageError(fault, named.empty() ? "" : words[0]).c_str(), stderr);
  return true;
}

// Makes glibc return freed blocks of 256 KiB or more to the system at once. By
// default, glibc raises this limit when larger blocks are freed. With a raised
// limit, each thread of filterdb scan would keep 4 MiB more.
void ReturnLargeBlocksAtOnce() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

// Flushes standard output. Returns kUnusable if this fails, for example because
// the disk is full.
ExitCode Finish(ExitCode exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return exit_code;
  }
  std::fprintf(stderr, "filterdb: cannot write to standard output\n");
  return kUnusable;
}

}  // namespace
}  // namespace cassandra_bloom::tools

int main(int argc, char** argv) {
  using namespace cassandra_bloom::tools;
  CLI::App app(
      "Finds the wrong filters of a Cassandra or ScyllaDB node (scan), and "
      "makes them anew\n(mend). Shows, checks, builds, converts and compares "
      "Filter.db files, exports them\nfrom RocksDB databases, and examines the "
      "filters of such databases (doctor).\n"
      "Exit status: 0 good, 1 a fault was found, 2 wrong usage or unreadable "
      "input.",
      "filterdb");
  app.require_subcommand(1);
  app.failure_message(UsageErrorOf);
  app.set_version_flag("--version", cassandra_bloom_version());
  app.set_help_all_flag("--help-all", "Help for all commands");
  Run run;
  AddScan(&app, &run);
  AddMend(&app, &run);
  AddInfo(&app, &run);
  AddCheck(&app, &run);
  AddBuild(&app, &run);
  AddConvert(&app, &run);
  AddDiff(&app, &run);
  AddExport(&app, &run);
  AddDoctor(&app, &run);
  if (HasEmptyValue(app, {argv + std::min(argc, 1), argv + argc})) {
    return kUnusable;
  }
  CatchSignals();
  ReturnLargeBlocksAtOnce();
  try {
    app.parse(argc, argv);
    return Finish(run());
  } catch (const CLI::ParseError& error) {
    return Finish(app.exit(error) == 0 ? kGood : kUnusable);
  } catch (const std::bad_alloc&) {
    PrintError(Unusable("not enough memory for a filter of this size"));
    return kUnusable;
  } catch (const std::exception& error) {
    PrintError(error);
    return kUnusable;
  }
}
