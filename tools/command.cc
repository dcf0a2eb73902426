#include "tools/command.h"

#include <cmath>
#include <cstdio>
#include <iostream>

#include "tools/progress_bar.h"

namespace cassandra_bloom::tools {

void AddJson(CLI::App* command, bool* json) {
  command->add_flag("--json", *json, "JSON on standard output");
}

void AddVersion(CLI::App* command, const std::string& name,
                std::string* version, const std::string& of_what) {
  command
      ->add_option(name, *version,
                   "SSTable version of " + of_what +
                       ", such as nb, or the form: before-ma, ma-to-me, "
                       "na-and-later")
      ->type_name("VERSION");
}

FilterForm FormOf(const std::string& version, const std::string& path) {
  std::string error;
  std::string found = version;
  if (found.empty() && !SstableVersionOfFileName(path, &found, &error)) {
    throw Unusable(error);
  }
  FilterForm form;
  if (!FormOfSstableVersion(found, &form, &error)) {
    throw Unusable(error);
  }
  return form;
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version) {
  std::string error;
  auto filter = FilterDbFile::Open(path, FormOf(version, path), &error);
  if (filter == nullptr) {
    throw Unusable(error);
  }
  return filter;
}

void KeysOption::AddTo(CLI::App* command) {
  auto* const source = command->add_option_group("keys")->require_option(1);
  source->add_option("--keys", keys, "File of keys; - for standard input")
      ->type_name("FILE");
  source->add_option("--index", index, "The SSTable's Index.db")
      ->type_name("FILE");
  command
      ->add_option("--key-format", key_format,
                   "Of the file of keys: hex or text, one a line, or binary, "
                   "each after its length in two bytes, big-endian")
      ->check(CLI::IsMember({"hex", "text", "binary"}))
      ->capture_default_str();
}

std::unique_ptr<KeyReader> KeysOption::OpenFile(const std::string& path) const {
  const KeyFormat format = key_format == "hex"    ? KeyFormat::kHexLines
                           : key_format == "text" ? KeyFormat::kTextLines
                                                  : KeyFormat::kLengthPrefixed;
  std::string error;
  auto reader = OpenKeys(path, format, &error);
  if (reader == nullptr) {
    throw Unusable(error);
  }
  return reader;
}

std::unique_ptr<KeyReader> KeysOption::Open(const std::string& version) const {
  if (!keys.empty()) {
    return OpenFile(keys);
  }
  std::string error;
  std::string found = version;
  if (found.empty() && !SstableVersionOfFileName(index, &found, &error)) {
    throw Unusable(error);
  }
  auto reader = OpenIndexDb(index, found, &error);
  if (reader == nullptr) {
    throw Unusable(error);
  }
  return reader;
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

void PrintJson(const Json& json) { std::cout << json.dump(2) << "\n"; }

std::string Percent(double rate) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %%", 100 * rate);
  return text;
}

}  // namespace cassandra_bloom::tools
