// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/command.h"

#include "filterdb/commands/progress_bar.h"
#include "filterdb/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {
namespace {

// Returns `version`, or the SSTable version in the file name if `version` is
// empty. Throws Unusable if the file name has none.
std::string VersionOf(const std::string& path, const std::string& version) {
  std::string found = version;
  std::string error;
  if (found.empty() && !SstableVersionOfFileName(path, &found, &error)) {
    throw Unusable(error + " with --sstable-version");
  }
  return found;
}

}  // namespace

void AddVersion(CLI::App* command, std::string* version) {
  command
      ->add_option("--sstable-version", *version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later); needed if the file names do not "
                   "give it")
      ->type_name("VERSION");
}

FilterForm FormOf(const std::string& path, const std::string& version) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(VersionOf(path, version), &form, &error)) {
    throw Unusable((version.empty() ? path : "--sstable-version=" + version) +
                   ": " + error);
  }
  return form;
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version) {
  const FilterForm form = FormOf(path, version);
  return OrUnusable([&](std::string* error) {
    return FilterDbFile::Open(path, form, error);
  });
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

std::unique_ptr<KeyReader> KeysOption::Open(const std::string& version) const {
  return OrUnusable([&](std::string* error) -> std::unique_ptr<KeyReader> {
    if (!keys.empty()) {
      return OpenKeys(
          keys,
          key_format == "hex" ? KeyFormat::kHexLines : KeyFormat::kTextLines,
          error);
    }
    // The index may be of another version than the filter.
    std::string of_index;
    if (!SstableVersionOfFileName(index, &of_index, error)) {
      of_index = VersionOf(index, version);
    }
    return OpenSstableKeys(index, of_index, KeyChecks::kEveryKey, error);
  });
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
