// SPDX-License-Identifier: Apache-2.0

// filterdb: shows, checks, builds and converts Cassandra's Filter.db files.

#include <pthread.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cassandra_bloom/c.h"
#include "plugin/sstable/temporary_file.h"
#include "tools/filterdb/command.h"

namespace cassandra_bloom::tools {
namespace {

// ---- The command line ----

std::string NamesOfCommands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

// What is wrong with a command line, and where the right ones are described.
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

// What is wrong with the first `--option=`, `--option ''` or ''; "" if there is
// none. Before CLI11 sees them: it takes the word after `--option=` for the
// value, and for ever looks at an empty word that it has no place for.
std::string EmptyValueIn(const std::vector<std::string>& words) {
  bool options_end = false;  // After "--" all words are operands.
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
                 : "an empty word is no operand; give a value, or leave it out";
    }
    options_end |= word == "--";
    before = word;
  }
  return "";
}

// True, and the error on stderr, if a value is empty.
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

// ---- Signals ----

pthread_t writing_thread;

extern "C" void CleanUpAndDie(int number) {
  // The name of the file is safe only in the thread that may change it; the
  // signal may have come to a thread of RocksDB's. (signal-safety(7) lists all
  // that is called here.)
  if (!pthread_equal(pthread_self(), writing_thread)) {
    pthread_kill(writing_thread, number);
    return;
  }
  RemoveTemporaryFileBeingWritten();
  signal(number, SIG_DFL);
  raise(number);  // SA_NODEFER: it ends the process now.
}

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary file that this
// thread, which must be the only one to write files, is writing; then the
// process dies by the signal, so that its status says so.
void CleanUpAtSignals() {
  writing_thread = pthread_self();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // nohup, and a shell for a command in the background, have it ignored.
    if (sigaction(number, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = CleanUpAndDie;
    action.sa_flags = SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

// ---- The end ----

// A full disk shows when the last of the output is written.
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
      "Cassandra's Filter.db: shows, checks, builds and converts it.\n"
      "Exit status: 0 good, 1 a fault was found, 2 wrong usage or unreadable "
      "input.",
      "filterdb");
  app.require_subcommand(1);
  app.failure_message(UsageErrorOf);
  app.set_version_flag("--version", cassandra_bloom_version());
  app.set_help_all_flag("--help-all", "Help for all commands");
  Run run;
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
  CleanUpAtSignals();
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
