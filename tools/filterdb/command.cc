// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <system_error>

#include "plugin/filter/sizing.h"
#include "plugin/sstable/output_file.h"
#include "tools/filterdb/progress_bar.h"

namespace cassandra_bloom::tools {
namespace {

std::string VersionOf(const std::string& version, const std::string& path,
                      const std::string& option) {
  std::string found = version;
  std::string error;
  if (found.empty() && !SstableVersionOfFileName(path, &found, &error)) {
    throw Unusable(error + " with " + option);
  }
  return found;
}

template <typename Number>
CLI::Validator IsNumber(const std::string& what,
                        const std::function<bool(Number)>& in_range) {
  const auto fault = [=](const std::string& text) {
    const char* const end = text.data() + text.size();
    Number number;
    const auto [parsed_to, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && parsed_to == end && in_range(number)
               ? ""
               : "'" + text + "' is not " + what;
  };
  return CLI::Validator(fault, /*validator_desc=*/"");
}

// True for "-" and for another name of the pipe that standard output is, such
// as /dev/stdout.
bool IsStandardOutput(const std::string& out) {
  struct stat file;
  struct stat standard_output;
  return out == "-" ||
         (stat(out.c_str(), &file) == 0 && S_ISFIFO(file.st_mode) &&
          fstat(STDOUT_FILENO, &standard_output) == 0 &&
          file.st_dev == standard_output.st_dev &&
          file.st_ino == standard_output.st_ino);
}

}  // namespace

void AddJson(CLI::App* command, bool* json) {
  command->add_flag("--json", *json, "Print JSON to standard output");
}

void AddVersion(CLI::App* command, const std::string& name,
                std::string* version, const std::string& of_what) {
  command
      ->add_option(name, *version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later) of " +
                       of_what)
      ->type_name("VERSION");
}

FilterForm FormOf(const std::string& version, const std::string& path,
                  const std::string& option) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(VersionOf(version, path, option), &form, &error)) {
    throw Unusable(version.empty() ? path + ": " + error + ", with " + option
                                   : option + "=" + version + ": " + error);
  }
  return form;
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const std::string& version,
                                         const std::string& option) {
  std::string error;
  auto filter = FilterDbFile::Open(path, FormOf(version, path, option), &error);
  if (filter == nullptr) {
    throw Unusable(error);
  }
  return filter;
}

CLI::Validator IsBitsPerKey() {
  return IsNumber<double>("a number from 1 to 100", [](double bits) {
    return bits >= 1 && bits <= kMaxBitsPerKey;
  });
}

CLI::Validator IsFpChance() {
  return IsNumber<double>(
      "a number of at least 0.0000671 and less than 1 (at 1 Cassandra has no "
      "filter)",
      [](double chance) { return chance >= kMinFpChance && chance < 1; });
}

CLI::Validator IsWholeNumberFrom(uint64_t least) {
  return IsNumber<uint64_t>(
      "a whole number from " + std::to_string(least),
      [least](uint64_t number) { return number >= least; });
}

CLI::Option* AddDbPath(CLI::App* command, std::vector<std::string>* db_paths) {
  return command
      ->add_option("--db-path", *db_paths,
                   "A further folder of SST files: one of the database's "
                   "db_paths or of a column family's cf_paths. It must be "
                   "given because no file of the database names it. May be "
                   "given several times, in any order")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void AddForce(CLI::App* command, bool* force) {
  command->add_flag("--force", *force, "Overwrite an existing file");
}

void RequireWritable(const std::string& option, const std::string& out,
                     bool force, bool json) {
  if (json && IsStandardOutput(out)) {
    throw Unusable(option +
                   ": the JSON goes to standard output already; give a file, "
                   "or leave out --json");
  }
  std::string error;
  const auto kind = OutputKindOf(out, &error);
  if (!kind) {
    throw Unusable(error);
  }
  if (*kind == OutputKind::kFile && !force) {
    throw Unusable(out + ": exists; --force overwrites it");
  }
}

void SpeakBeside(const std::string& out) {
  if (IsStandardOutput(out) && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw Unusable("cannot write to stderr");
  }
}

void KeysOption::AddTo(CLI::App* command) {
  auto* const source = command->add_option_group("keys")->require_option(1);
  source->add_option("--keys", keys, "File of keys; - for standard input")
      ->type_name("FILE");
  source->add_option("--index", index, "The SSTable's Index.db")
      ->type_name("FILE");
  command
      ->add_option("--key-format", key_format,
                   "Format of the file of keys: hex or text (one key a line), "
                   "or binary (each key after its length, two bytes, "
                   "big-endian)")
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
  auto reader = OpenIndexDb(
      index, VersionOf(version, index, "--sstable-version"), &error);
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

}  // namespace cassandra_bloom::tools
