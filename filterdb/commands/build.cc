// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/hash_list.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

struct BuildArguments {
  KeysOption keys;
  std::optional<double> bits;
  std::optional<double> fp_chance;
  std::string version;
  OutputFile out;
  bool json = false;
};

ExitCode RunBuild(const BuildArguments& options) {
  const FilterForm form =
      options.out.Form(options.version, "--sstable-version");
  options.out.CheckCanWrite(options.json);
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
  options.out.Write(FilterDbContent(form, sizing.num_probes, num_words,
                                    filter.data() + kFilterDbHeaderSize));
  PrintList({{"file", options.out.Name()},
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
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  options->out.AddTo(command, "--out");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
