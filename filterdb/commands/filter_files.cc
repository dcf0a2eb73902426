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

// ---- What they share ----

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

// Adds --sstable-version.
void AddVersion(CLI::App* command, std::string* version) {
  command
      ->add_option("--sstable-version", *version,
                   "SSTable version, such as nb, or form (before-ma, "
                   "ma-to-me, na-and-later); needed if the file names do not "
                   "give it")
      ->type_name("VERSION");
}

// Returns the form of the Filter.db `path`. `version` is an SSTable version or
// the name of a form. If it is empty, the file name gives the version.
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
};

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

// Returns an error if `keys` found a wrong hash in a Partitions.db, otherwise
// "". Partitions.db has one byte of the hash of each key. Call this function
// after the last key was read.
std::string WrongIndexHashes(const KeyReader& keys) {
  const SstableKeys* const index = dynamic_cast<const SstableKeys*>(&keys);
  if (index == nullptr || index->num_wrong_hashes() == 0) {
    return "";
  }
  return "Partitions.db has another byte of the hash than " +
         Count(index->num_wrong_hashes(), "key") +
         ": it is damaged, or Data.db is";
}

// Throws Unusable if the keys cannot be read. `what` is the title of the
// progress bar.
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

// ---- info ----

struct InfoArguments {
  std::vector<std::string> files;
  std::string version;
  bool json = false;
};

const char* VerdictOf(const FilterFill& fill) {
  constexpr double kNearlyEmpty = 0.02;
  return fill.capacity_bits == 0 ? "empty: every look-up reads the disk"
         : fill.is_saturated()   ? "saturated"
         : fill.fill_ratio() < kNearlyEmpty ? "nearly empty"
                                            : "ok";
}

Json InfoOf(const std::string& file, const std::string& version) {
  const auto filter = OpenFilter(file, version);
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
  info["verdict"] = VerdictOf(fill);
  return info;
}

ExitCode RunInfo(const InfoArguments& options) {
  ExitCode exit_code = kGood;
  Json all = Json::array();
  for (const std::string& file : options.files) {
    try {
      all.push_back(InfoOf(file, options.version));
      if (!options.json) {
        PrintText(ListText(all.back()));
      }
    } catch (const Unusable& error) {  // The other files are still shown.
      PrintError(error);
      exit_code = kNotKnown;
      all.push_back({{"file", file}, {"error", error.what()}});
    }
  }
  if (options.json) {
    PrintJson(all);
  }
  return exit_code;
}

// ---- check ----

struct CheckArguments {
  std::string file;
  std::string version;
  KeysOption keys;
  bool json = false;
};

ExitCode RunCheck(const CheckArguments& options) {
  constexpr uint64_t kMostListed = 10;
  const auto filter = OpenFilter(options.file, options.version);
  const auto keys = options.keys.Open(options.version);
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  Json listed = Json::array();
  ForEachKey(keys.get(), "checking", [&](std::string_view key) {
    ++num_keys;
    if (!filter->MayContain(key) && ++num_missing <= kMostListed) {
      listed.push_back(ToHex(key));
    }
  });
  if (num_keys == 0) {
    const KeysOption& given = options.keys;
    throw Unusable(NameOfInput(given.keys.empty() ? given.index : given.keys) +
                   ": no keys, so there is nothing to ask the filter for");
  }
  Json answer = {{"file", options.file},
                 {"keys", num_keys},
                 {"missing", num_missing},
                 {"missing_keys", listed}};
  const std::string index_fault = WrongIndexHashes(*keys);
  if (!index_fault.empty()) {
    answer["index_fault"] = index_fault;
  }
  PrintList(answer, options.json);
  return num_missing > 0 || !index_fault.empty() ? kHarm : kGood;
}

// ---- build ----

struct BuildArguments {
  KeysOption keys;
  std::optional<double> bits;
  std::optional<double> fp_chance;
  std::string version;
  std::string out;
  bool force = false;
  bool json = false;
};

// Throws Unusable if the file name gives another form than --sstable-version,
// because Cassandra takes the form from the file name.
FilterForm FormOfOutput(const BuildArguments& options) {
  const FilterForm form = FormOf(options.out, options.version);
  std::string of_name;
  std::string ignored;
  FilterForm form_of_name;
  if (SstableVersionOfFileName(options.out, &of_name, &ignored) &&
      FormOfSstableVersion(of_name, &form_of_name, &ignored) &&
      form_of_name != form) {
    throw Unusable("--sstable-version=" + options.version + " is of the form " +
                   FormName(form) + ", but the name of " + options.out +
                   " says version " + of_name + ", which is of the form " +
                   FormName(form_of_name) +
                   "; give a name that fits, or leave out --sstable-version");
  }
  return form;
}

// Throws Unusable if the file could not be written. To be called before long
// work.
void CheckCanWrite(const BuildArguments& options) {
  if (options.out == "-") {
    throw WrongUsage(
        "--out=-: give a file, which is written whole or not at all");
  }
  struct stat status;
  if (stat(options.out.c_str(), &status) != 0) {
    return;  // A failure shows when the file is created.
  }
  if (!S_ISREG(status.st_mode)) {
    throw Unusable(options.out + ": is " + NameOfFileType(status.st_mode) +
                   ", which is left alone; give a file");
  }
  if (!options.force) {
    throw Unusable(options.out + ": exists; --force overwrites it");
  }
}

// Writes the file completely or not at all. A symbolic link to a file is
// followed.
void WriteOutput(const BuildArguments& options, const WriteContent& content) {
  std::string error;
  std::error_code not_there;
  const auto file = std::filesystem::canonical(options.out, not_there);
  if (!WriteFileAtomically(not_there ? options.out : file.string(),
                           /*overwrite=*/options.force && !not_there, content,
                           &error)) {
    throw Unusable(error);
  }
}

ExitCode RunBuild(const BuildArguments& options) {
  const FilterForm form = FormOfOutput(options);
  CheckCanWrite(options);
  const auto keys = options.keys.Open(options.version);
  // The keys are read only once, so that they may come from a pipe.
  HashList hashes;
  ForEachKey(keys.get(), "reading keys", [&](std::string_view key) {
    Hash128 hash = CassandraMurmur3(key.data(), key.size());
    if (form == kBeforeMa) {
      std::swap(hash.h1, hash.h2);
    }
    if (!hashes.Add(hash)) {
      throw Unusable("no memory for the hashes of more than " +
                     Count(hashes.size(), "key") + ", 16 bytes each");
    }
  });
  const std::string fault = WrongIndexHashes(*keys);
  if (!fault.empty()) {
    throw Unusable(fault);
  }
  const Sizing sizing = options.bits ? *SizingForBitsPerKey(*options.bits)
                                     : *SizingForFpChance(*options.fp_chance);
  if (hashes.size() > sizing.MaxKeys(kMaxFilterWords)) {
    throw Unusable(Count(hashes.size(), "key") +
                   " need a filter of more than 16 GiB, which a Filter.db "
                   "cannot hold; use fewer bits per key");
  }
  const uint32_t num_words = sizing.NumWords(hashes.size());
  std::vector<char> filter(FilterDbSize(num_words));
  BuildFilterDb(hashes, sizing.num_probes, num_words, filter.data());
  WriteOutput(options, FilterDbContent(form, sizing.num_probes, num_words,
                                       filter.data() + kFilterDbHeaderSize));
  PrintList({{"file", options.out},
             {"keys", hashes.size()},
             {"probes", sizing.num_probes},
             {"words", num_words}},
            options.json);
  return kGood;
}

}  // namespace

void AddInfo(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "info", "Shows what a Filter.db holds, and whether it is of use");
  command->footer("Example: filterdb info nb-1-big-Filter.db");
  auto* const options = NewOptions(command, run, RunInfo);
  command->add_option("FILE", options->files, "Filter.db files")->required();
  AddVersion(command, &options->version);
  AddJson(command, &options->json);
}

void AddCheck(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "check",
      "Asks a Filter.db for keys that it must have; a missing key is a fault");
  command->footer(
      "Example: filterdb check nb-1-big-Filter.db --index=nb-1-big-Index.db");
  auto* const options = NewOptions(command, run, RunCheck);
  command->add_option("FILE", options->file, "The Filter.db")->required();
  options->keys.AddTo(command);
  AddVersion(command, &options->version);
  AddJson(command, &options->json);
}

void AddBuild(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "build", "Builds a Filter.db from keys, with the size Cassandra uses");
  command->footer(
      "Example: filterdb build --keys=keys.txt --key-format=text "
      "--fp-chance=0.01 --out=nb-1-big-Filter.db");
  auto* const options = NewOptions(command, run, RunBuild);
  options->keys.AddTo(command);
  auto* const size = command->add_option_group("size")->require_option(1);
  size->add_option("--bits", options->bits,
                   "Bits per key (Cassandra's buckets per element), 1 to 100")
      ->check(IsBitsPerKey());
  size->add_option("--fp-chance", options->fp_chance,
                   "Cassandra's bloom_filter_fp_chance, 0.0000671 to below 1")
      ->check(IsFpChance());
  AddVersion(command, &options->version);
  command->add_option("--out", options->out, "The Filter.db to write")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Overwrite an existing file");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
