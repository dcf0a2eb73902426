// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/find_test.cc.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/scan_paths.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/sstable/sstable_keys.h"
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
  const auto digit = [](char c) {
    return std::string_view("0123456789abcdef")
        .find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  };
  std::string bytes;
  const size_t begin = hex.rfind("0x", 0) == 0 ? 2 : 0;
  for (size_t i = begin; i < hex.size(); i += 2) {
    const size_t high = digit(hex[i]);
    const size_t low =
        i + 1 < hex.size() ? digit(hex[i + 1]) : std::string::npos;
    if (high == std::string::npos || low == std::string::npos) {
      throw WrongUsage(std::string(option) + "=" + hex +
                       ": not an even number of hexadecimal digits");
    }
    bytes += static_cast<char>(high * 16 + low);
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

enum class Found { kNo, kNoButMay, kYes, kDenied, kMay, kNotSearched };

constexpr const char* kNames[] = {"no",  "no, the filter says may",
                                  "yes", "yes, denied by the filter",
                                  "may", "not searched"};

class Search {
 public:
  explicit Search(const FindArguments& options)
      : options_(options), key_(KeyOf(options)) {}

  // `*why` says why the SSTable was not searched, or not wholly.
  Found In(const Sstable& sstable, std::string* why) {
    FilterForm form;
    if (!FormOfSstableVersion(sstable.version, &form, why)) {
      return Found::kNotSearched;
    }
    const std::string path = sstable.Path("Filter.db");
    const auto filter =
        NameExists(path) ? FilterDbFile::Open(path, form, why) : nullptr;
    const bool is_denied = filter != nullptr && !filter->MayContain(key_);
    if (options_.filters_only) {
      return is_denied                                ? Found::kNo
             : filter != nullptr || !NameExists(path) ? Found::kMay
                                                      : Found::kNotSearched;
    }
    const auto keys = OpenSstableKeys(sstable, KeyChecks::kCheap, why);
    if (keys == nullptr) {
      return Found::kNotSearched;
    }
    std::string_view key;
    while (keys->Next(&key)) {
      if (key == key_) {
        num_bytes_ += keys->bytes_read();
        return is_denied ? Found::kDenied : Found::kYes;
      }
    }
    num_bytes_ += keys->bytes_read();
    if (!keys->error().empty()) {
      *why = keys->error();
      return Found::kNotSearched;
    }
    return filter != nullptr && !is_denied ? Found::kNoButMay : Found::kNo;
  }

  // Of Data.db, as far as the index was asked for them.
  uint64_t num_bytes() const { return num_bytes_; }
  const std::string& key() const { return key_; }

 private:
  const FindArguments& options_;
  const std::string key_;
  uint64_t num_bytes_ = 0;
};

ExitCode RunFind(const FindArguments& options) {
  Search search(options);
  bool is_denied = false;
  uint64_t num_sstables = 0;
  uint64_t num_found = 0;
  uint64_t num_not_searched = 0;
  SstableFinder finder(options.paths, [&](const std::string& error) {
    ++num_not_searched;
    PrintError(Unusable(error));
  });
  while (const auto sstable = finder.Next()) {
    std::string why;
    Found found = Found::kNotSearched;
    if (sstable->state == SstableState::kLive) {
      try {
        found = search.In(*sstable, &why);
      } catch (const NotSupported& not_supported) {
        why = not_supported.what();
      }
    } else {
      why = std::string("is ") + NameOf(sstable->state);
    }
    ++num_sstables;
    is_denied |= found == Found::kDenied;
    num_found += found == Found::kYes || found == Found::kDenied ? 1 : 0;
    num_not_searched += found == Found::kNotSearched ? 1 : 0;
    const char* const name = kNames[static_cast<int>(found)];
    if (options.json) {
      PrintJsonLine({{"sstable", sstable->Path("Data.db")},
                     {"found", name},
                     {"why", why}});
    } else if (found != Found::kNo) {
      PrintText(Printable(sstable->Path("Data.db") + ": " + name +
                          (found == Found::kNotSearched ? ": " + why : "")) +
                "\n");
    }
  }
  const ExitCode exit_code = is_denied              ? kHarm
                             : num_not_searched > 0 ? kNotKnown
                                                    : kGood;
  if (options.json) {
    PrintJsonLine({{"summary",
                    {{"exit_status", exit_code},
                     {"key", ToHex(search.key())},
                     {"sstables", num_sstables},
                     {"found", num_found},
                     {"not_searched", num_not_searched},
                     {"bytes_searched", search.num_bytes()},
                     {"left_out_folders", finder.left_out()}}}});
    return exit_code;
  }
  PrintText("key " + ToHex(search.key()) + ": " +
            (options.filters_only
                 ? "the filters alone were asked"
                 : "in " + std::to_string(num_found) + " of " +
                       Count(num_sstables, "SSTable") + ", " +
                       AsSize(search.num_bytes()) + " searched") +
            (num_not_searched > 0
                 ? ", " + std::to_string(num_not_searched) + " not searched"
                 : "") +
            "\n" + LeftOutText(finder.left_out()));
  return exit_code;
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
  command
      ->add_option("PATH", options->paths,
                   "Data directories, keyspaces, tables, or files of SSTables")
      ->required();
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
