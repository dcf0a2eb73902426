// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

struct BuildArguments {
  KeysOption keys;
  std::optional<double> bits;
  std::optional<double> fp_chance;
  std::optional<uint64_t> expected_keys;
  std::string version;
  OutputFile out;
  bool json = false;
};

uint64_t CountKeys(KeyReader* keys) {
  const auto rewind = [keys] {
    if (!keys->Rewind()) {
      throw Unusable(keys->error() +
                     "; say with --expected-keys how many keys there are");
    }
  };
  rewind();  // Fails at once if the keys come from a pipe.
  uint64_t count = 0;
  ForEachKey(keys, "counting", [&count](std::string_view) { ++count; });
  rewind();
  return count;
}

std::unique_ptr<FilterDbBuilder> NewBuilder(const BuildArguments& options,
                                            FilterForm form,
                                            uint64_t expected_keys) {
  return OrUnusable([&](std::string* error) {
    return options.bits ? FilterDbBuilder::ForBitsPerKey(
                              *options.bits, expected_keys, form, error)
                        : FilterDbBuilder::ForFpChance(
                              *options.fp_chance, expected_keys, form, error);
  });
}

ExitCode RunBuild(const BuildArguments& options) {
  const FilterForm form =
      options.out.Form(options.version, "--sstable-version");
  options.out.CheckCanWrite(options.json);
  const auto keys = options.keys.Open(options.version);
  const uint64_t expected =
      options.expected_keys ? *options.expected_keys : CountKeys(keys.get());
  const auto builder = NewBuilder(options, form, expected);
  uint64_t count = 0;
  ForEachKey(keys.get(), "building", [&](std::string_view key) {
    builder->Add(key);
    ++count;
  });
  const std::string fault = WrongIndexHashes(*keys);
  if (!fault.empty()) {
    throw Unusable(fault);
  }
  // --expected-keys may be an estimate. But with far more keys, filterdb scan
  // would call this filter faulty.
  constexpr uint64_t kTolerance = 20;
  if (count > expected + expected / kTolerance) {
    throw Unusable(options.out.path + ": not written: " + Count(count, "key") +
                   ", but sized for " + std::to_string(expected) +
                   "; give --expected-keys=" + std::to_string(count));
  }
  options.out.Write(FilterDbContent(form, builder->num_probes(),
                                    builder->num_words(), builder->bits()));
  PrintList({{"file", options.out.Name()},
             {"keys", count},
             {"expected_keys", expected},
             {"probes", builder->num_probes()},
             {"words", builder->num_words()}},
            options.json);
  return kGood;
}

}  // namespace

void AddBuild(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "build", "Builds a Filter.db from keys, with the size Cassandra uses");
  auto* const options = NewOptions(command, run, RunBuild);
  options->keys.AddTo(command);
  auto* const size = command->add_option_group("size")->require_option(1);
  size->add_option("--bits", options->bits,
                   "Bits per key (Cassandra's buckets per element), 1 to 100")
      ->check(IsBitsPerKey());
  size->add_option("--fp-chance", options->fp_chance,
                   "Cassandra's bloom_filter_fp_chance, 0.0000671 to below 1")
      ->check(IsFpChance());
  command
      ->add_option("--expected-keys", options->expected_keys,
                   "Size the filter for this many keys instead of counting "
                   "them first")
      ->check(IsPositive());
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  options->out.AddTo(command, "--out");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
