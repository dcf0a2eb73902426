// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/console.h"

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>  // Declares program_invocation_short_name.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <vector>

#include "cassandra_bloom/c.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

std::string UsageError(const std::string& what, const std::string& command) {
  const std::string program = program_invocation_short_name;
  return program + ": " + what + "\nsee " + program + " " + command +
         (command.empty() ? "" : " ") + "--help\n";
}

std::string UsageErrorOf(const CLI::App* app, const CLI::Error& error) {
  const auto chosen = app->get_subcommands();
  if (!chosen.empty()) {
    return UsageError(error.what(), chosen[0]->get_name());
  }
  std::string names;
  for (const CLI::App* const command : app->get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  const auto words = app->remaining();
  return UsageError(
      (words.empty() ? "no command" : "'" + words[0] + "' is no command") +
          "; the commands are " + names,
      /*command=*/"");
}

// Describes the first word without a value, such as `--out=` or `''`. Scripts
// make these from unset variables. Returns "" if there is none. Must be called
// before CLI11 parses `words`, because CLI11 takes the next word as the value
// of `--out=`. CLI11 also never returns if an empty word fits no operand.
std::string EmptyValueIn(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.empty()) {
      return "a word is empty; give a value, or leave it out";
    }
    if (word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1) {
      return word + " has no value; give one, or leave the option out";
    }
  }
  return "";
}

// Makes glibc return freed blocks of 256 KiB or more to the system at once. By
// default, glibc raises this limit when larger blocks are freed. With a raised
// limit, each thread of `filterdb scan` would keep 4 MiB more.
void ReturnLargeBlocksAtOnce() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

// Flushes standard output. Returns kNotKnown if this fails, for example because
// the disk is full.
int Finish(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return exit_code;
  }
  PrintError(Unusable("cannot write to standard output"));
  return kNotKnown;
}

// Refuses text that is no number, which is also NaN, and numbers out of range.
CLI::Validator IsNumber(const std::string& what, double least, double most) {
  const auto fault = [=](const std::string& text) {
    const char* const end = text.data() + text.size();
    double number;
    const auto [parsed_to, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && parsed_to == end && number >= least &&
                   number <= most
               ? ""
               : "'" + text + "' is not " + what;
  };
  return CLI::Validator(fault, /*validator_desc=*/"");
}

}  // namespace

int RunProgram(const std::string& name, const std::string& description,
               const std::string& exit_statuses,
               const std::function<void(CLI::App* app, Run* run)>& add_commands,
               int argc, char** argv,
               const WhatTookItsPlace& what_took_its_place) {
  CLI::App app(description + "\n" + exit_statuses, name);
  app.require_subcommand(1);
  app.failure_message(UsageErrorOf);
  app.set_version_flag("--version", cassandra_bloom_version());
  app.set_help_all_flag("--help-all", "Help for all commands");
  app.get_formatter()->label("REQUIRED", "(required)");
  Run run;
  add_commands(&app, &run);
  const std::vector<std::string> words = {argv + std::min(argc, 1),
                                          argv + argc};
  std::string fault = EmptyValueIn(words);
  if (fault.empty() && what_took_its_place) {
    fault = what_took_its_place(words);
  }
  if (!fault.empty()) {
    std::fputs(UsageError(fault, /*command=*/"").c_str(), stderr);
    return kWrongUsage;
  }
  ReturnLargeBlocksAtOnce();
  try {
    app.parse(argc, argv);
    return Finish(run());
  } catch (const CLI::ParseError& error) {
    return Finish(app.exit(error) == 0 ? kGood : kWrongUsage);
  } catch (const WrongUsage& error) {
    std::fputs(UsageError(error.what(), words.empty() ? "" : words[0]).c_str(),
               stderr);
    return kWrongUsage;
  } catch (const std::bad_alloc&) {
    PrintError(Unusable("not enough memory for a filter of this size"));
    return kNotKnown;
  } catch (const std::exception& error) {
    PrintError(error);
    return kNotKnown;
  }
}

void AddJson(CLI::App* command, bool* json) {
  command->add_flag("--json", *json, "Print JSON to standard output");
}

CLI::Validator IsBitsPerKey() {
  return IsNumber("a number from 1 to 100", 1, kMaxBitsPerKey);
}

CLI::Validator IsFpChance() {
  return IsNumber(
      "a number of at least 0.0000671 and less than 1 (at 1 Cassandra has no "
      "filter)",
      kMinFpChance, std::nextafter(1, 0));
}

}  // namespace cassandra_bloom::tools
