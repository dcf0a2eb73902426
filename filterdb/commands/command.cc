// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "filterdb/commands/progress_bar.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kStandardOutput[] = "-";

// Returns `version`, or the SSTable version in the file name if `version` is
// empty. Throws Unusable if the file name has none.
std::string VersionOf(const std::string& version, const std::string& path,
                      const std::string& option) {
  std::string found = version;
  std::string error;
  if (found.empty() && !SstableVersionOfFileName(path, &found, &error)) {
    throw Unusable(error + " with " + option);
  }
  return found;
}

FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(VersionOf(version, path, option), &form, &error)) {
    throw Unusable((version.empty() ? path : option + "=" + version) + ": " +
                   error);
  }
  return form;
}

}  // namespace

void AddVersion(CLI::App* command, const std::string& name,
                std::string* version, const std::string& of_what) {
  command
      ->add_option(name, *version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later) of " +
                       of_what)
      ->type_name("VERSION");
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option) {
  const FilterForm form = FormOf(version, path, option);
  return OrUnusable([&](std::string* error) {
    return FilterDbFile::Open(path, form, error);
  });
}

void OutputFile::AddTo(CLI::App* command, const std::string& name) {
  command
      ->add_option(name, path, "The Filter.db to write; - for standard output")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", force, "Overwrite an existing file");
}

FilterForm OutputFile::Form(const std::string& version,
                            const std::string& option) const {
  const FilterForm form = FormOf(version, path, option);
  std::string of_name;
  std::string ignored;
  FilterForm form_of_name;
  if (SstableVersionOfFileName(path, &of_name, &ignored) &&
      FormOfSstableVersion(of_name, &form_of_name, &ignored) &&
      form_of_name != form) {
    throw Unusable(option + "=" + version + " is of the form " +
                   FormName(form) + ", but the name of " + path +
                   " says version " + of_name + ", which is of the form " +
                   FormName(form_of_name) +
                   "; give a name that fits, or leave out " + option);
  }
  return form;
}

void OutputFile::CheckCanWrite(bool json) const {
  if (path == kStandardOutput && json) {
    throw Unusable(
        "the JSON goes to standard output already; give a file, or leave out "
        "--json");
  }
  struct stat status;
  if (path == kStandardOutput || stat(path.c_str(), &status) != 0) {
    return;  // A failure shows when the file is created.
  }
  if (!S_ISREG(status.st_mode)) {
    throw Unusable(path + ": is " + NameOfFileType(status.st_mode) +
                   ", which is left alone; give a file, or - for standard "
                   "output");
  }
  if (!force) {
    throw Unusable(path + ": exists; --force overwrites it");
  }
}

void OutputFile::Write(const WriteContent& content) const {
  std::string error;
  if (path != kStandardOutput) {
    std::error_code not_there;
    const auto file = std::filesystem::canonical(path, not_there);
    if (!WriteFileAtomically(not_there ? path : file.string(),
                             /*overwrite=*/force && !not_there, content,
                             &error)) {
      throw Unusable(error);
    }
    return;
  }
  const auto append = [](const char* data, size_t size) {
    return WriteAll(STDOUT_FILENO, data, size);
  };
  if (!content(append) || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    FailWithErrno(Name(), "cannot write", &error);
    throw Unusable(error);
  }
}

std::string OutputFile::Name() const {
  return path == kStandardOutput ? "standard output" : path;
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

std::unique_ptr<KeyReader> KeysOption::Open(const std::string& version) const {
  if (!keys.empty()) {
    return OpenFile(keys);
  }
  // The index may be of another version than a filter that has no version in
  // its name.
  std::string of_index;
  std::string ignored_error;
  if (!SstableVersionOfFileName(index, &of_index, &ignored_error)) {
    of_index = VersionOf(version, index, "--sstable-version");
  }
  return OrUnusable([&](std::string* error) {
    return OpenSstableKeys(index, of_index, KeyChecks::kEveryKey, error);
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
         Count(index->num_wrong_hashes(), "key") +
         ": it is damaged, or Data.db is";
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
