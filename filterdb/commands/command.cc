// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "filterdb/commands/output_file.h"
#include "filterdb/commands/progress_bar.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

enum class Use { kInput, kOutput };

// Throws Unusable if `path` does not exist or is a folder.
void RequireFile(const std::string& path) {
  struct stat file;
  const bool found = stat(path.c_str(), &file) == 0;
  if (found && !S_ISDIR(file.st_mode)) {
    return;
  }
  errno = found ? EISDIR : errno;
  std::string error;
  FailWithErrno(path, "cannot open", &error);
  throw Unusable(error);
}

// Returns `version`. If `version` is empty, returns the SSTable version in the
// file name. Throws Unusable if the file name has no version. The error then
// says whether the input file is missing.
std::string VersionOf(const std::string& version, const std::string& path,
                      const std::string& option, Use use) {
  std::string found = version;
  std::string error;
  if (found.empty() && !SstableVersionOfFileName(path, &found, &error)) {
    if (use == Use::kInput && path != "-") {
      RequireFile(path);
    }
    throw Unusable(error + " with " + option);
  }
  return found;
}

// Throws Unusable if the file name has an SSTable version before `ia`. These
// versions hash keys in another way. Therefore even a good filter of theirs
// would seem to lack keys.
void RequireVersionSinceIa(const std::string& path) {
  std::string version;
  std::string error;
  FilterForm form;
  if (IsFilterBeforeIa(path, &version) &&
      !FormOfSstableVersion(version, &form, &error)) {
    throw Unusable(path + ": " + error);
  }
}

FilterForm FormFor(Use use, const std::string& version, const std::string& path,
                   const std::string& option) {
  RequireVersionSinceIa(path);
  FilterForm form;
  std::string error;
  const std::string found = VersionOf(version, path, option, use);
  if (FormOfSstableVersion(found, &form, &error)) {
    return form;
  }
  if (!version.empty()) {
    throw Unusable(option + "=" + version + ": " + error);
  }
  throw Unusable(path + ": " + error +
                 (IsVersionBeforeIa(found) ? "" : ", with " + option));
}

}  // namespace

CLI::Option* AddVersion(CLI::App* command, const std::string& name,
                        std::string* version, const std::string& of_what) {
  return command
      ->add_option(name, *version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later) of " +
                       of_what)
      ->type_name("VERSION");
}

FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option) {
  return FormFor(Use::kOutput, version, path, option);
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option) {
  const FilterForm form = FormFor(Use::kInput, version, path, option);
  return OrUnusable([&](std::string* error) {
    return FilterDbFile::Open(path, form, error);
  });
}

void AddForce(CLI::App* command, bool* force) {
  command->add_flag("--force", *force, "Overwrite an existing file");
}

void RequireWritable(const std::string& option, const std::string& out,
                     bool force, bool json) {
  if (json && out == "-") {
    throw Unusable(option +
                   ": the JSON goes to standard output already; give a file, "
                   "or leave out --json");
  }
  OrUnusable(
      [&](std::string* error) { return MayWriteOutput(out, force, error); });
}

void KeepMessagesOffStdout(const std::string& out) {
  if (out == "-" && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw Unusable("cannot write to stderr");
  }
}

void KeysOption::AddTo(CLI::App* command) {
  auto* const source = command->add_option_group("keys")->require_option(1);
  source->add_option("--keys", keys, "File of keys; - for standard input")
      ->type_name("FILE");
  source
      ->add_option("--index", index,
                   "The SSTable's Index.db, or Partitions.db with the other "
                   "components beside it")
      ->type_name("FILE");
  command
      ->add_option("--key-format", key_format,
                   "Format of the file of keys, which has one key a line: hex "
                   "or text")
      ->check(CLI::IsMember({"hex", "text"}))
      ->capture_default_str();
}

std::unique_ptr<KeyReader> KeysOption::OpenFile(const std::string& path) const {
  const KeyFormat format =
      key_format == "hex" ? KeyFormat::kHexLines : KeyFormat::kTextLines;
  return OrUnusable(
      [&](std::string* error) { return OpenKeys(path, format, error); });
}

std::unique_ptr<KeyReader> KeysOption::Open(const std::string& version,
                                            KeyChecks checks) const {
  if (!keys.empty()) {
    return OpenFile(keys);
  }
  // The index may be of another version than a filter that has no version in
  // its name.
  std::string of_index;
  std::string ignored_error;
  if (!SstableVersionOfFileName(index, &of_index, &ignored_error)) {
    of_index = VersionOf(version, index, "--sstable-version", Use::kInput);
  }
  return OrUnusable([&](std::string* error) {
    return OpenSstableKeys(index, of_index, checks, error);
  });
}

std::string KeysOption::Name() const {
  return NameOfInput(keys.empty() ? index : keys);
}

std::string WrongIndexHashes(const KeyReader& keys) {
  const SstableKeys* const index = dynamic_cast<const SstableKeys*>(&keys);
  if (index == nullptr || index->num_wrong_hashes() == 0) {
    return "";
  }
  return "Partitions.db has another byte of the hash than " +
         Count(index->num_wrong_hashes(), "key") + " (the first at position " +
         std::to_string(index->first_wrong_hash()) +
         " of Data.db): it is damaged, or Data.db is";
}

void ForEachKey(KeyReader* keys, const std::string& what,
                const std::function<void(std::string_view key)>& visit) {
  ProgressBar progress(what);
  std::string_view key;
  for (uint64_t count = 0; keys->Next(&key); ++count) {
    visit(key);
    if (count % 65536 == 0) {
      progress.Show(keys->bytes_read(), keys->total_bytes());
    }
  }
  if (!keys->error().empty()) {
    throw Unusable(keys->error());
  }
}

}  // namespace cassandra_bloom::tools
