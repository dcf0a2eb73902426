// SPDX-License-Identifier: Apache-2.0

// What the subcommands of filterdb share.
//
// Tested in tests/filterdb/bad_lines_test.cc.
// Tested in tests/filterdb/outputs_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_

#include <CLI/App.hpp>  // CLI.hpp takes twice as long to compile.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// App.hpp of CLI11 2.6 leaves out IsMember and Transformer.
#if __has_include(<CLI/ExtraValidators.hpp>)
#include <CLI/ExtraValidators.hpp>
#endif

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/key_reader.h"
#include "tools/filterdb/output.h"
#include "tools/sstable/checked_index_db.h"

namespace cassandra_bloom::tools {

// Runs a subcommand whose options have been read; returns its exit code.
using Run = std::function<ExitCode()>;

// Each of these adds a subcommand. If the user chooses it, parsing the command
// line sets `*run`.
void AddInfo(CLI::App* app, Run* run);
void AddCheck(CLI::App* app, Run* run);
void AddBuild(CLI::App* app, Run* run);
void AddConvert(CLI::App* app, Run* run);
void AddDiff(CLI::App* app, Run* run);
void AddExport(CLI::App* app, Run* run);
void AddDoctor(CLI::App* app, Run* run);
void AddScan(CLI::App* app, Run* run);
void AddMend(CLI::App* app, Run* run);

// Creates a subcommand's options, which live as long as `command`. If the user
// chooses the subcommand, `*run` calls `run_with` with them.
template <typename Options>
Options* NewOptions(CLI::App* command, Run* run,
                    ExitCode (*run_with)(const Options&)) {
  const auto options = std::make_shared<Options>();
  command->callback([=] { *run = [=] { return run_with(*options); }; });
  return options.get();
}

// ---- Options that several subcommands have ----

void AddJson(CLI::App* command, bool* json);

// Adds an option for an SSTable version or the name of a form. `name` is, for
// example, --sstable-version. `of_what` is the end of its help text.
CLI::Option* AddVersion(CLI::App* command, const std::string& name,
                        std::string* version, const std::string& of_what);

// The form of the output `path`. `version`: an SSTable version, the name of a
// form, or empty; then the file name in `path` gives the version. `option` is
// the name of the option that AddVersion added, for the error message. Whatever
// `version` is, throws Unusable if the file name says a version before `ia`,
// because its filters hash keys in another way.
FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option);

// Opens a Filter.db of the form that `version` and `path` give, as in FormOf.
std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option);

// Validators for numeric options. They refuse text that is not a number and
// numbers out of range, with a message that has the text and the range.
// (Without them, CLI11 takes -5 for 2^64 - 5.)
CLI::Validator IsBitsPerKey();
CLI::Validator IsFpChance();
CLI::Validator IsWholeNumberFrom(uint64_t least);

// Adds --db-path, for further folders of a database's SST files.
CLI::Option* AddDbPath(CLI::App* command, std::vector<std::string>* db_paths);

// Adds --force, which allows overwriting the output file.
void AddForce(CLI::App* command, bool* force);

// Checks `out`, the value of `option`, before work that may be long. Throws
// Unusable if `out` is of a kind that cannot be written to, if it exists and
// `force` is false, or if it is standard output and `json` is true, because the
// JSON goes there.
void RequireWritable(const std::string& option, const std::string& out,
                     bool force, bool json);

// Call this after writing `out` and before printing anything about it. If `out`
// is standard output, everything printed from now on goes to stderr instead.
void KeepMessagesOffStdout(const std::string& out);

// The options that say where the keys are: --keys with --key-format, or
// --index with --index-version.
struct KeysOption {
  std::string keys;
  std::string index;
  std::string index_version;
  std::string key_format = "hex";

  void AddTo(CLI::App* command);
  // Opens the keys. `version`: the SSTable version of Index.db. --index-version
  // goes before it. If both are empty, the file name gives the version.
  // `checks`: how far to compare an Index.db with the SSTable's other
  // components.
  std::unique_ptr<KeyReader> Open(const std::string& version,
                                  KeyChecks checks) const;
  // The name of the file of keys, or "standard input".
  std::string Name() const;
  std::unique_ptr<KeyReader> OpenFile(const std::string& path) const;
};

// Call this after the last key. Returns an error if the keys come from a
// Partitions.db that has wrong bytes of their hashes, otherwise "".
std::string WrongIndexHashes(const KeyReader& keys);

// Calls visit for every key, with a progress bar. Throws Unusable if the keys
// cannot be read.
void ForEachKey(KeyReader* keys, const std::string& what,
                const std::function<void(std::string_view key)>& visit);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_COMMAND_H_
