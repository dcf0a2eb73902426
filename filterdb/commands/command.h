// SPDX-License-Identifier: Apache-2.0

// The functions and options that the subcommands of filterdb share.
//
// Tested in filterdb/tests/commands/bad_lines_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_COMMAND_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/commands/console.h"
#include "filterdb/commands/output.h"
#include "filterdb/sstable/key_reader.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

// Each of these functions adds a subcommand to `app`. If the command line names
// the subcommand, parsing sets `*run`.
void AddInfo(CLI::App* app, Run* run);
void AddCheck(CLI::App* app, Run* run);
void AddBuild(CLI::App* app, Run* run);
void AddScan(CLI::App* app, Run* run);
void AddMend(CLI::App* app, Run* run);
void AddInstall(CLI::App* app, Run* run);
void AddFind(CLI::App* app, Run* run);

// ---- Options that several subcommands have ----

// Adds the option `name`, such as --sstable-version. Its value is an SSTable
// version or the name of a FilterForm. `of_what` is the end of the help text.
void AddVersion(CLI::App* command, const std::string& name,
                std::string* version, const std::string& of_what);

// Opens the Filter.db `path`. `version` is the value of `option`: an SSTable
// version or the name of a form. If it is empty, the file name gives the
// version.
std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option);

// The file that a command writes, or "-" for standard output.
struct OutputFile {
  // Adds the option or the operand `name`, which is required, and --force.
  void AddTo(CLI::App* command, const std::string& name);

  // Returns the form to write. Throws Unusable if the file name gives another
  // form than `version`, the value of `option`, because Cassandra takes the
  // form from the file name.
  FilterForm Form(const std::string& version, const std::string& option) const;

  // Throws Unusable if Write would fail: if something else than a regular file
  // is there, if there is one without --force, or if the file and the JSON
  // would both go to standard output. Call this before long work.
  void CheckCanWrite(bool json) const;

  // Writes the file completely or not at all. A symbolic link to a file is
  // followed. After standard output was written, everything that is printed
  // goes to stderr.
  void Write(const WriteContent& content) const;

  // The path, or "standard output".
  std::string Name() const;

  std::string path;
  bool force = false;
};

// The options that name the file of keys: either --keys with --key-format, or
// --index.
struct KeysOption {
  std::string keys;
  std::string index;
  std::string key_format = "hex";

  void AddTo(CLI::App* command);
  // Opens the file of keys. `version` is the SSTable version of an index whose
  // name does not give it. Each key of an index is compared with Data.db, if
  // that is there, because a damaged index makes a good filter look wrong.
  std::unique_ptr<KeyReader> Open(const std::string& version) const;
  std::unique_ptr<KeyReader> OpenFile(const std::string& path) const;
  std::string Name() const;
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
