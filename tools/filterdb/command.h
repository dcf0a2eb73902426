// SPDX-License-Identifier: Apache-2.0

// What the subcommands of filterdb share.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_

#include <CLI/App.hpp>  // CLI.hpp takes as long again to compile.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/key_reader.h"
#include "tools/filterdb/output.h"

namespace cassandra_bloom::tools {

// A subcommand's run, after its options were read: the exit code.
using Run = std::function<ExitCode()>;

// Each adds a subcommand and sets `*run` if the user chose it.
void AddInfo(CLI::App* app, Run* run);
void AddCheck(CLI::App* app, Run* run);
void AddBuild(CLI::App* app, Run* run);
void AddConvert(CLI::App* app, Run* run);
void AddDiff(CLI::App* app, Run* run);
void AddExport(CLI::App* app, Run* run);
void AddDoctor(CLI::App* app, Run* run);

// The options of a subcommand, which lives as long: `*run` is `run_with` them
// if the user chooses it.
template <typename Options>
Options* NewOptions(CLI::App* command, Run* run,
                    ExitCode (*run_with)(const Options&)) {
  const auto options = std::make_shared<Options>();
  command->callback([=] { *run = [=] { return run_with(*options); }; });
  return options.get();
}

// ---- Options that several have ----

void AddJson(CLI::App* command, bool* json);

// --sstable-version, or another name for it.
void AddVersion(CLI::App* command, const std::string& name,
                std::string* version, const std::string& of_what);

// The form by version or name, if given, otherwise by the file's name. `option`
// is the one that AddVersion added.
FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option);

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option);

// For an option of numbers: refuses any other text, and numbers out of range,
// with the text and the range. (CLI11 takes -5 for 2^64 - 5.)
CLI::Validator IsBitsPerKey();
CLI::Validator IsFpChance();
CLI::Validator IsWholeNumberFrom(uint64_t least);

// --db-path, for a database.
CLI::Option* AddDbPath(CLI::App* command, std::vector<std::string>* db_paths);

// --force, for the file that is written.
void AddForce(CLI::App* command, bool* force);

// Before the work, which may be long: throws Unusable if what `option` names
// cannot be written to, is a file that may not be overwritten, or is standard
// output, which with `json` has other things to take.
void RequireWritable(const std::string& option, const std::string& out,
                     bool force, bool json);

// When the file has been written, before anything is said about it: if it went
// to standard output, that goes to stderr.
void SpeakBeside(const std::string& out);

// --keys with --key-format, or --index.
struct KeysOption {
  std::string keys;
  std::string index;
  std::string key_format = "hex";

  void AddTo(CLI::App* command);
  // `version` of the SSTable, if given: for Index.db.
  std::unique_ptr<KeyReader> Open(const std::string& version) const;
  std::unique_ptr<KeyReader> OpenFile(const std::string& path) const;
};

// Calls visit for every key, with a progress bar; throws Unusable at a fault.
void ForEachKey(KeyReader* keys, const std::string& what,
                const std::function<void(std::string_view key)>& visit);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_
