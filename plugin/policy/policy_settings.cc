// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

namespace {

PolicySettings Refused(const std::string& error) {
  PolicySettings settings;
  settings.id = kRefusedId;
  settings.error = std::string(kPolicyName) + ": " + error;
  return settings;
}

// Returns true if RocksDB's options parser reads the id back unchanged.
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

// Sets `*bits` to the number that is really used, for example after rounding.
std::optional<Sizing> SizingForBits(double* bits) {
  const std::optional<Sizing> sizing = SizingForBitsPerKey(*bits);
  *bits = sizing ? sizing->bits_per_key() : 0;
  return sizing;
}

void SetSizing(CassandraBloomOptions* options, LevelSizing* sizing) {
  sizing->levels.clear();
  for (double& bits : options->level_bits) {
    sizing->levels.push_back(SizingForBits(&bits));
  }
  if (sizing->levels.empty()) {
    sizing->levels.push_back(options->fp_chance != 0
                                 ? SizingForFpChance(options->fp_chance)
                                 : SizingForBits(&options->bits_per_key));
  }
  if (options->bottommost_bits) {
    sizing->has_bottommost = true;
    sizing->bottommost = SizingForBits(&*options->bottommost_bits);
  }
  sizing->is_monkey = options->allocation == "monkey";
}

void SetFilterTypes(CassandraBloomOptions* options, PolicySettings* settings) {
  const auto type = [](const std::string& name) {
    return name == "bloom"    ? FilterType::kBloom
           : name == "ribbon" ? FilterType::kRibbon
                              : FilterType::kCassandra;
  };
  if (options->bottommost_filter == options->filter) {
    options->bottommost_filter.clear();  // An id omits defaults.
  }
  settings->filter = type(options->filter);
  settings->bottommost_filter = options->bottommost_filter.empty()
                                    ? settings->filter
                                    : type(options->bottommost_filter);
  if (options->blocks == "rocksdb") {
    settings->block_form = BlockForm::kBesideRocksdb;
  }
  settings->may_fit_memory =
      settings->block_form == BlockForm::kBesideRocksdb &&
      options->fp_chance == 0;
}

// Returns why the options are not fit for each other, or "". `given` is their
// text before the numbers were rounded.
std::string WhyUnfit(const std::string& given,
                     const CassandraBloomOptions& options,
                     const PolicySettings& settings) {
  const std::string text = "'" + given + "': ";
  if (settings.sizing.is_monkey) {
    if (options.fp_chance != 0 || !options.level_bits.empty() ||
        options.bottommost_bits) {
      return text +
             "allocation=monkey (mix sets it, too) spreads the average, "
             "bits_per_key, over the levels, and cannot be combined with other "
             "numbers of bits or chances";
    }
    if (!(options.bits_per_key >= kLeastMonkeyAverage &&
          options.bits_per_key <= kMostMonkeyAverage)) {
      return text +
             "allocation=monkey needs an average, bits_per_key, of 1.533 to "
             "86.15, so that each level gets 1 to 100 bits per key";
    }
  }
  const bool is_beside = settings.block_form == BlockForm::kBesideRocksdb;
  if (is_beside && !settings.partition_key.is_whole()) {
    return text +
           "blocks=rocksdb also reads RocksDB's own filters, which hold whole "
           "keys; leave out partition_key, or blocks=rocksdb (mix sets it, "
           "too)";
  }
  if (!is_beside && (settings.filter != FilterType::kCassandra ||
                     settings.bottommost_filter != FilterType::kCassandra)) {
    return text +
           "RocksDB's own filters, bloom and ribbon, need blocks=rocksdb";
  }
  return "";
}

}  // namespace

PolicySettings Compile(CassandraBloomOptions options) {
  std::string error = WrongValue(options);
  if (!error.empty()) {
    return Refused(error);
  }
  const auto partition_key =
      PartitionKeyExtractor::Parse(options.partition_key, &error);
  if (!partition_key) {
    return Refused(error);
  }
  PolicySettings settings;
  settings.partition_key = *partition_key;
  // What follows changes `options` to the values that are really used.
  options.partition_key = partition_key->spelling();
  const std::string given = FormatOptions(options);
  SetSizing(&options, &settings.sizing);
  SetFilterTypes(&options, &settings);
  error = WhyUnfit(given, options, settings);
  if (!error.empty()) {
    return Refused(error);
  }
  settings.id = FormatOptions(options);
  return settings;
}

PolicySettings SettingsOf(const std::string& text, const OptionTexts& beside) {
  std::string error;
  const auto options = ParseOptions(text, beside, &error);
  PolicySettings settings = options ? Compile(*options) : Refused(error);
  if (!beside.empty()) {
    return settings;
  }
  if (!settings.error.empty()) {
    settings.id = IsPlain(text) ? text : kRefusedId;
  } else if (text == kPolicyName) {
    // A policy that is made from the bare name must have the bare name as its
    // id. RocksDB's C interface writes that id into the OPTIONS file, makes a
    // policy from it, and compares the ids of both. If they differed, RocksDB
    // 7.8 would not write the file, and in 9.10 DB::Open would fail.
    settings.id = kPolicyName;
  }
  return settings;
}

}  // namespace cassandra_bloom
