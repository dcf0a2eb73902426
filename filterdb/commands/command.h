// SPDX-License-Identifier: Apache-2.0

// The functions and options that the subcommands of filterdb share.
//
// Tested in filterdb/tests/commands/bad_lines_test.cc.
// Tested in filterdb/tests/commands/outputs_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_

#include <CLI/App.hpp>  // CLI/CLI.hpp takes twice as long to compile.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// In CLI11 2.6, App.hpp does not declare IsMember and Transformer.
#if __has_include(<CLI/ExtraValidators.hpp>)
#include <CLI/ExtraValidators.hpp>
#endif

#include "cassandra_bloom/filter_db.h"
#include "filterdb/commands/output.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {

using Run = std::function<ExitCode()>;

// Each of these functions adds a subcommand to `app`. If the command line names
// the subcommand, parsing sets `*run`.
void AddInfo(CLI::App* app, Run* run);
void AddCheck(CLI::App* app, Run* run);
void AddBuild(CLI::App* app, Run* run);
void AddConvert(CLI::App* app, Run* run);
void AddDiff(CLI::App* app, Run* run);
void AddExport(CLI::App* app, Run* run);
void AddDoctor(CLI::App* app, Run* run);
void AddScan(CLI::App* app, Run* run);
void AddMend(CLI::App* app, Run* run);

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

// ---- Options that several subcommands have ----

void AddJson(CLI::App* command, bool* json);

// Adds the option `name`, such as --sstable-version. Its value is an SSTable
// version or the name of a FilterForm. `of_what` is the end of the help text.
CLI::Option* AddVersion(CLI::App* command, const std::string& name,
                        std::string* version, const std::string& of_what);

// Returns the form of the output file `path`. `version` is an SSTable version
// or the name of a form. If `version` is empty, the file name gives the SSTable
// version. `option` is named in error messages.
FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option);

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option);

// Validators that refuse text that is no number, and numbers out of range.
// CLI11 alone would read -5 as 2^64 - 5.
CLI::Validator IsBitsPerKey();
CLI::Validator IsFpChance();
CLI::Validator IsWholeNumberFrom(uint64_t least);

CLI::Option* AddDbPath(CLI::App* command, std::vector<std::string>* db_paths);

void AddForce(CLI::App* command, bool* force);

// Throws Unusable if `out`, the value of `option`, cannot be written to. Also
// throws if `out` exists and `force` is false, or if `out` and the JSON would
// both go to standard output. Call this before long work.
void RequireWritable(const std::string& option, const std::string& out,
                     bool force, bool json);

// If `out` is standard output, sends everything printed from now on to stderr.
// Call this after writing `out` and before printing messages.
void KeepMessagesOffStdout(const std::string& out);

// The options that name the file of keys: either --keys with --key-format, or
// --index with --index-version.
struct KeysOption {
  std::string keys;
  std::string index;
  std::string index_version;
  std::string key_format = "hex";

  void AddTo(CLI::App* command);
  // Opens the file of keys. If --index-version is not given, `version` is the
  // SSTable version of the index. `checks` says how thoroughly the index is
  // compared with other files of the SSTable.
  std::unique_ptr<KeyReader> Open(const std::string& version,
                                  KeyChecks checks) const;
  std::string Name() const;
  std::unique_ptr<KeyReader> OpenFile(const std::string& path) const;
};

// Returns an error if `keys` found a wrong hash in a Partitions.db, otherwise
// "". Partitions.db has one byte of the hash of each key. Call this function
// after the last key was read.
std::string WrongIndexHashes(const KeyReader& keys);

// Throws Unusable if the keys cannot be read. `what` is the title of the
// progress bar.
void ForEachKey(KeyReader* keys, const std::string& what,
                const std::function<void(std::string_view key)>& visit);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_
