// SPDX-License-Identifier: Apache-2.0

// The commands on single Filter.db files: info, check and build.

#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "filterdb/health/filter_questions.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/hash_list.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

struct Arguments {
  std::vector<std::string> files;  // Of info.
  std::string file;                // Of check, and the one to build.
  std::string version;             // An SSTable version, a form or "".
  // The file of keys: one of these two.
  std::string keys;
  std::string index;
  std::string key_format = "hex";
  std::optional<double> bits;
  std::optional<double> fp_chance;
  bool force = false;
  bool json = false;
};

// ---- What they share ----

// Returns the version that the user gave, or that in the file name.
std::string VersionOf(const std::string& path, const Arguments& arguments) {
  std::string version = arguments.version;
  std::string error;
  if (version.empty() && !SstableVersionOfFileName(path, &version, &error)) {
    throw Unusable(error + " with --sstable-version");
  }
  return version;
}

FilterForm FormOf(const std::string& path, const Arguments& arguments) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(VersionOf(path, arguments), &form, &error)) {
    const std::string& version = arguments.version;
    throw Unusable((version.empty() ? path : "--sstable-version=" + version) +
                   ": " + error);
  }
  return form;
}

std::unique_ptr<FilterDbFile> OpenFilter(const std::string& path,
                                         const Arguments& arguments) {
  std::string error;
  auto filter = OpenLikeNode(path, FormOf(path, arguments), &error);
  if (filter == nullptr) {
    throw Unusable(error);
  }
  return filter;
}

// Each key of an index is compared with Data.db, if that is there, because a
// damaged index makes a good filter look wrong.
std::unique_ptr<KeyReader> OpenKeys(const Arguments& arguments) {
  std::string error;
  std::unique_ptr<KeyReader> keys;
  if (!arguments.keys.empty()) {
    keys = OpenKeys(arguments.keys,
                    arguments.key_format == "hex" ? KeyFormat::kHexLines
                                                  : KeyFormat::kTextLines,
                    &error);
  } else {
    // The index may be of another version than the filter.
    std::string version;
    if (!SstableVersionOfFileName(arguments.index, &version, &error)) {
      version = VersionOf(arguments.index, arguments);
    }
    keys =
        OpenSstableKeys(arguments.index, version, KeyChecks::kEveryKey, &error);
  }
  if (keys == nullptr) {
    throw Unusable(error);
  }
  return keys;
}

// Throws Unusable if the keys cannot be read. `what` is the title of the
// progress bar. Returns an error if a Partitions.db, which has one byte of the
// hash of each key, has a wrong one. Otherwise returns "".
std::string ForEachKey(const Arguments& arguments, const std::string& what,
                       const std::function<void(std::string_view key)>& visit) {
  const auto keys = OpenKeys(arguments);
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
  const auto* const index = dynamic_cast<const SstableKeys*>(keys.get());
  if (index == nullptr || index->num_wrong_hashes() == 0) {
    return "";
  }
  return "Partitions.db has another byte of the hash than " +
         Count(index->num_wrong_hashes(), "key") +
         ": it is damaged, or Data.db is";
}

// ---- info ----

const char* VerdictOf(const FilterFill& fill) {
  constexpr double kNearlyEmpty = 0.02;
  return fill.capacity_bits == 0 ? "empty: every look-up reads the disk"
         : fill.is_saturated()   ? "saturated"
         : fill.fill_ratio() < kNearlyEmpty ? "nearly empty"
                                            : "ok";
}

// `*too_long` says why nothing is known about the filter, or is "".
Json InfoOf(const std::string& file, const Arguments& arguments,
            std::string* too_long) {
  const auto filter = OpenFilter(file, arguments);
  const FilterFill fill = FillOf(*filter);
  Json info = {{"file", file},
               {"form", FormName(filter->form())},
               {"probes", fill.num_probes},
               {"words", filter->num_words()},
               {"bits", fill.capacity_bits},
               {"set_bits", fill.set_bits},
               {"fill_ratio", fill.fill_ratio()}};
  if (!filter->always_present()) {
    const double keys =
        EstimatedNumKeys(fill.num_probes, fill.set_bits, fill.capacity_bits);
    info["estimated_keys"] =
        std::isinf(keys) ? Json() : Json(std::llround(keys));
  }
  info["estimated_rate"] = fill.rate();
  *too_long = WhyTooLong(file, *filter);
  info["verdict"] = too_long->empty() ? VerdictOf(fill) : *too_long;
  return info;
}

ExitCode RunInfo(const Arguments& arguments) {
  ExitCode exit_code = kGood;
  Json all = Json::array();
  for (const std::string& file : arguments.files) {
    try {
      std::string too_long;
      all.push_back(InfoOf(file, arguments, &too_long));
      exit_code = too_long.empty() ? exit_code : kNotKnown;
      if (!arguments.json) {
        PrintText(ListText(all.back()));
      }
    } catch (const Unusable& error) {  // The other files are still shown.
      PrintError(error);
      exit_code = kNotKnown;
      all.push_back({{"file", file}, {"error", error.what()}});
    }
  }
  if (arguments.json) {
    PrintJson(all);
  }
  return exit_code;
}

// ---- check ----

ExitCode RunCheck(const Arguments& arguments) {
  constexpr uint64_t kMostListed = 10;
  const auto filter = OpenFilter(arguments.file, arguments);
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  Json listed = Json::array();
  const std::string index_fault =
      ForEachKey(arguments, "checking", [&](std::string_view key) {
        ++num_keys;
        if (!filter->MayContain(key) && ++num_missing <= kMostListed) {
          listed.push_back(ToHex(key));
        }
      });
  if (num_keys == 0) {
    throw Unusable(
        NameOfInput(arguments.keys.empty() ? arguments.index : arguments.keys) +
        ": no keys, so there is nothing to ask the filter for");
  }
  Json answer = {{"file", arguments.file},
                 {"keys", num_keys},
                 {"missing", num_missing},
                 {"missing_keys", listed}};
  if (!index_fault.empty()) {
    answer["index_fault"] = index_fault;
  }
  PrintList(answer, arguments.json);
  return num_missing > 0 || !index_fault.empty() ? kHarm : kGood;
}

// ---- build ----

// Throws Unusable if the file name gives another form than --sstable-version,
// because Cassandra takes the form from the file name.
FilterForm FormOfOutput(const Arguments& arguments) {
  const FilterForm form = FormOf(arguments.file, arguments);
  std::string of_name;
  std::string ignored;
  FilterForm form_of_name;
  if (SstableVersionOfFileName(arguments.file, &of_name, &ignored) &&
      FormOfSstableVersion(of_name, &form_of_name, &ignored) &&
      form_of_name != form) {
    throw Unusable("--sstable-version=" + arguments.version +
                   " is of the form " + FormName(form) + ", but the name of " +
                   arguments.file + " says version " + of_name +
                   ", which is of the form " + FormName(form_of_name) +
                   "; give a name that fits, or leave out --sstable-version");
  }
  return form;
}

// Throws Unusable if the file could not be written. To be called before long
// work.
void CheckCanWrite(const Arguments& arguments) {
  if (arguments.file == "-") {
    throw WrongUsage(
        "--out=-: give a file, which is written whole or not at all");
  }
  struct stat status;
  if (stat(arguments.file.c_str(), &status) != 0) {
    return;  // A failure shows when the file is created.
  }
  if (!S_ISREG(status.st_mode)) {
    throw Unusable(arguments.file + ": is " + NameOfFileType(status.st_mode) +
                   ", which is left alone; give a file");
  }
  if (!arguments.force) {
    throw Unusable(arguments.file + ": exists; --force overwrites it");
  }
}

// Writes the file completely or not at all. A symbolic link to a file is
// followed.
void WriteOutput(const Arguments& arguments, const WriteContent& content) {
  std::string error;
  std::error_code not_there;
  const auto file = std::filesystem::canonical(arguments.file, not_there);
  if (!WriteFileAtomically(not_there ? arguments.file : file.string(),
                           /*overwrite=*/arguments.force && !not_there, content,
                           &error)) {
    throw Unusable(error);
  }
}

ExitCode RunBuild(const Arguments& arguments) {
  const FilterForm form = FormOfOutput(arguments);
  CheckCanWrite(arguments);
  // The keys are read only once, so that they may come from a pipe.
  HashList hashes;
  const std::string fault =
      ForEachKey(arguments, "reading keys", [&](std::string_view key) {
        Hash128 hash = CassandraMurmur3(key.data(), key.size());
        if (form == kBeforeMa) {
          std::swap(hash.h1, hash.h2);
        }
        if (!hashes.Add(hash)) {
          throw Unusable("no memory for the hashes of more than " +
                         Count(hashes.size(), "key") + ", 16 bytes each");
        }
      });
  if (!fault.empty()) {
    throw Unusable(fault);
  }
  const Sizing sizing = arguments.bits
                            ? *SizingForBitsPerKey(*arguments.bits)
                            : *SizingForFpChance(*arguments.fp_chance);
  if (hashes.size() > sizing.MaxKeys(kMaxFilterWords)) {
    throw Unusable(Count(hashes.size(), "key") +
                   " need a filter of more than 16 GiB, which a Filter.db "
                   "cannot hold; use fewer bits per key");
  }
  const uint32_t num_words = sizing.NumWords(hashes.size());
  std::vector<char> filter(FilterDbSize(num_words));
  BuildFilterDb(hashes, sizing.num_probes, num_words, filter.data());
  WriteOutput(arguments, FilterDbContent(form, sizing.num_probes, num_words,
                                         filter.data() + kFilterDbHeaderSize));
  PrintList({{"file", arguments.file},
             {"keys", hashes.size()},
             {"probes", sizing.num_probes},
             {"words", num_words}},
            arguments.json);
  return kGood;
}

// ---- The commands ----

void AddVersion(CLI::App* command, Arguments* arguments) {
  command
      ->add_option("--sstable-version", arguments->version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later); needed if the file names do not "
                   "give it")
      ->type_name("VERSION");
}

void AddKeys(CLI::App* command, Arguments* arguments) {
  auto* const source = command->add_option_group("keys")->require_option(1);
  source
      ->add_option("--keys", arguments->keys,
                   "File of keys; - for standard input")
      ->type_name("FILE");
  source
      ->add_option("--index", arguments->index,
                   "The SSTable's Index.db, or Partitions.db with the other "
                   "components beside it")
      ->type_name("FILE");
  command
      ->add_option("--key-format", arguments->key_format,
                   "Format of the file of keys, which has one key a line: hex "
                   "or text")
      ->check(CLI::IsMember({"hex", "text"}))
      ->capture_default_str();
}

}  // namespace

void AddInfo(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "info", "Shows what a Filter.db holds, and whether it is of use");
  command->footer("Example: filterdb info nb-1-big-Filter.db");
  auto* const arguments = NewOptions(command, run, RunInfo);
  command->add_option("FILE", arguments->files, "Filter.db files")->required();
  AddVersion(command, arguments);
  AddJson(command, &arguments->json);
}

void AddCheck(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "check",
      "Asks a Filter.db for keys that it must have; a missing key is a fault");
  command->footer(
      "Example: filterdb check nb-1-big-Filter.db --index=nb-1-big-Index.db");
  auto* const arguments = NewOptions(command, run, RunCheck);
  command->add_option("FILE", arguments->file, "The Filter.db")->required();
  AddKeys(command, arguments);
  AddVersion(command, arguments);
  AddJson(command, &arguments->json);
}

void AddBuild(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "build", "Builds a Filter.db from keys, with the size Cassandra uses");
  command->footer(
      "Example: filterdb build --keys=keys.txt --key-format=text "
      "--fp-chance=0.01 --out=nb-1-big-Filter.db");
  auto* const arguments = NewOptions(command, run, RunBuild);
  AddKeys(command, arguments);
  auto* const size = command->add_option_group("size")->require_option(1);
  size->add_option("--bits", arguments->bits,
                   "Bits per key (Cassandra's buckets per element), 1 to 100")
      ->check(IsBitsPerKey());
  size->add_option("--fp-chance", arguments->fp_chance,
                   "Cassandra's bloom_filter_fp_chance, 0.0000671 to below 1")
      ->check(IsFpChance());
  AddVersion(command, arguments);
  command->add_option("--out", arguments->file, "The Filter.db to write")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", arguments->force, "Overwrite an existing file");
  AddJson(command, &arguments->json);
}

}  // namespace cassandra_bloom::tools
