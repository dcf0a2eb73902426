// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/build_test.cc.
// Tested in filterdb/tests/commands/bad_lines_test.cc.

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/hash_list.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

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
