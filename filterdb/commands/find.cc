// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/find_test.cc.

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/health/filter_questions.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

struct FindArguments {
  std::vector<std::string> paths;
  std::string key;
  std::vector<std::string> parts;
  bool filters_only = false;
  bool json = false;
};

std::string BytesOf(const std::string& hex, const char* option) {
  const std::string digits = hex.rfind("0x", 0) == 0 ? hex.substr(2) : hex;
  if (digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    throw WrongUsage(std::string(option) + "=" + hex +
                     ": not an even number of hexadecimal digits");
  }
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// Each part of a composite key has its length before it and a 0 behind it
// (Cassandra's CompositeType).
std::string KeyOf(const FindArguments& options) {
  if (!options.key.empty()) {
    return BytesOf(options.key, "--key");
  }
  if (options.parts.size() == 1) {
    throw WrongUsage("a key with one part has no --key-part: give --key");
  }
  std::string key;
  for (const std::string& part : options.parts) {
    const std::string bytes = BytesOf(part, "--key-part");
    if (bytes.size() > UINT16_MAX) {
      throw WrongUsage("--key-part: more than 65535 bytes");
    }
    key += static_cast<char>(bytes.size() >> 8);
    key += static_cast<char>(bytes.size());
    key += bytes + '\0';
  }
  return key;
}

constexpr std::string_view kNo = "no";
constexpr std::string_view kYes = "yes";
constexpr std::string_view kDenied = "yes, denied by the filter";
constexpr std::string_view kNotAsked = "yes, the filter cannot be asked";
constexpr std::string_view kNotSearched = "not searched";

// Opens a filter, and leaves the page cache as it was, like a scan.
std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         FilterForm form, std::string* why) {
  const FileDescriptor fd(OpenForReading(path));
  CachedPages pages(fd.get());
  uint64_t size = 0;
  std::string ignored_error;
  if (SizeOfRegularFile(fd.get(), path, &size, &ignored_error)) {
    pages.Ask(0, kFilterDbHeaderSize);
    if (!FaultOfHeader(fd.get(), &size)) {
      pages.Ask(0, static_cast<size_t>(size));
    }
  }
  return OpenLikeNode(path, form, why);
}

// Returns whether the SSTable has the key. `*why` says why it was not searched,
// or not wholly. Adds to `*num_bytes` how much of Data.db the index was asked
// for.
std::string_view Find(const Sstable& sstable, const std::string& key,
                      bool filters_only, std::string* why,
                      uint64_t* num_bytes) {
  FilterForm form;
  if (!FormOfSstableVersion(sstable.version, &form, why)) {
    return kNotSearched;
  }
  const std::string path = sstable.Path("Filter.db");
  const auto filter = NameExists(path) ? OpenFilter(path, form, why) : nullptr;
  const bool is_denied = filter != nullptr && !filter->MayContain(key);
  if (filters_only) {
    // A damaged header may deny keys, and here no index tells.
    *why = is_denied ? WhyTooLong(path, *filter) : *why;
    if (is_denied && !why->empty()) {
      return kNotSearched;
    }
    return is_denied                                ? kNo
           : filter != nullptr || !NameExists(path) ? "may"
                                                    : kNotSearched;
  }
  const auto keys = OpenSstableKeys(sstable, KeyChecks::kCheap, why);
  if (keys == nullptr) {
    return kNotSearched;
  }
  std::string_view one;
  bool is_found = false;
  while (!is_found && keys->Next(&one)) {
    is_found = one == key;
  }
  *num_bytes += keys->bytes_read();
  if (!is_found && !keys->error().empty()) {
    *why = keys->error();
    return kNotSearched;
  }
  if (is_found) {
    return is_denied                               ? kDenied
           : filter == nullptr && NameExists(path) ? kNotAsked
                                                   : kYes;
  }
  return filter != nullptr && !is_denied ? "no, the filter says may" : kNo;
}

ExitCode RunFind(const FindArguments& options) {
  const std::string key = KeyOf(options);
  uint64_t num_sstables = 0;
  uint64_t num_found = 0;
  uint64_t num_not_searched = 0;
  uint64_t num_bytes = 0;
  Report report(options.json, options.paths);
  while (const auto sstable = report.Next()) {
    std::string_view found = kNotSearched;
    std::string why = std::string("is ") + NameOf(sstable->state);
    if (sstable->state == SstableState::kLive) {
      try {
        why.clear();
        found = Find(*sstable, key, options.filters_only, &why, &num_bytes);
      } catch (const NotSupported& not_supported) {
        why = not_supported.what();
      }
    }
    ++num_sstables;
    num_found += found.substr(0, kYes.size()) == kYes ? 1 : 0;
    num_not_searched += found == kNotSearched ? 1 : 0;
    report.Add(found == kDenied                              ? Harm::kHidesRows
               : found == kNotAsked || found == kNotSearched ? Harm::kNotKnown
                                                             : Harm::kNone);
    const std::string path = sstable->Path("Data.db");
    const std::string text =
        path + ": " + std::string(found) + (why.empty() ? "" : ": " + why);
    report.Print({{"sstable", path}, {"found", found}, {"why", why}},
                 found == kNo ? "" : Printable(text) + "\n");
  }
  const Json json = {{"key", ToHex(key)},
                     {"sstables", num_sstables},
                     {"found", num_found},
                     {"not_searched", num_not_searched},
                     {"bytes_searched", num_bytes}};
  std::string text = "key " + ToHex(key) + ": ";
  text += options.filters_only ? "the filters alone were asked"
                               : "in " + std::to_string(num_found) + " of " +
                                     Count(num_sstables, "SSTable") + ", " +
                                     AsSize(num_bytes) + " searched";
  if (num_not_searched > 0) {
    text += ", " + std::to_string(num_not_searched) + " not searched";
  }
  return report.Finish(json, text + "\n");
}

}  // namespace

void AddFind(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "find",
      "Says which SSTables have a partition key, also of backups and snapshots "
      "and of a node that is down, and whether a filter denies it");
  command->footer("Example: filterdb find snapshots/daily --key=616c696365");
  auto* const options = NewOptions(command, run, RunFind);
  auto* const key = command->add_option_group("key")->require_option(1);
  key->add_option("--key", options->key,
                  "The partition key, as Cassandra stores it, in hexadecimal")
      ->type_name("HEX");
  key->add_option("--key-part", options->parts,
                  "A part of a composite partition key; give it again for the "
                  "next part")
      ->type_name("HEX")
      ->allow_extra_args(false);
  command->add_flag("--filters-only", options->filters_only,
                    "Ask the filters alone, which say 'may': for folders that "
                    "have nothing but Filter.db files");
  AddPaths(command, &options->paths);
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
