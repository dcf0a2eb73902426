// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output_file.h"
#include "filterdb/commands/printer.h"
#include "filterdb/health/filter_fill.h"
#include "filterdb/health/finding.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

struct BuildArguments {
  KeysOption keys;
  std::optional<double> bits;
  std::optional<double> fp_chance;
  std::optional<uint64_t> expected_keys;
  std::string version;
  std::string out;
  bool force = false;
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

// Throws Unusable if the filter has far more keys than `expected`, because
// `filterdb scan` would call this filter faulty. `expected` is the value of
// --expected-keys.
void RefuseTooFull(const BuildArguments& options, uint64_t expected,
                   uint64_t num_keys, const FilterDbBuilder& filter) {
  if (num_keys <= expected) {
    return;
  }
  const Sizing sizing = options.bits ? *SizingForBitsPerKey(*options.bits)
                                     : *SizingForFpChance(*options.fp_chance);
  const double design =
      std::max(FalsePositiveRate(sizing.num_probes, 1, sizing.bits_per_key()),
               kMinFpChance);
  const FilterFill fill = FillOf(filter);
  if (fill.rate() > kPlanTolerance * design || fill.is_saturated()) {
    throw Unusable(options.out + ": not written: " + Count(num_keys, "key") +
                   ", but sized for " + std::to_string(expected) + ": " +
                   Percent(fill.rate()) +
                   " of absent keys would pass; give --expected-keys=" +
                   std::to_string(num_keys));
  }
}

ExitCode RunBuild(const BuildArguments& options) {
  const FilterForm form =
      FormOf(options.version, options.out, "--sstable-version");
  RequireWritable("--out", options.out, options.force, options.json);
  const auto keys = options.keys.Open(options.version, KeyChecks::kEveryKey);
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
  RefuseTooFull(options, expected, count, *builder);
  OrUnusable([&](std::string* error) {
    return WriteOutput(options.out, options.force,
                       FilterDbContent(form, builder->num_probes(),
                                       builder->num_words(), builder->bits()),
                       error);
  });
  KeepMessagesOffStdout(options.out);
  PrintList({{"file", NameOfOutput(options.out)},
             {"keys", count},
             {"expected_keys", expected},
             {"probes", builder->num_probes()},
             {"words", builder->num_words()}},
            {{"file", ""},
             {"keys", "keys"},
             {"expected_keys", "sized for keys"},
             {"probes", "probes (k)"},
             {"words", "words"}},
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
      ->check(IsWholeNumberFrom(1));
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  command
      ->add_option("--out", options->out,
                   "The Filter.db to write; - for standard output")
      ->required()
      ->type_name("FILE");
  AddForce(command, &options->force);
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
