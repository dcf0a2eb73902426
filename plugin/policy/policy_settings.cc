// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <optional>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

const char kPolicyUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key) or "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1), each "
    "optionally followed by :OPTION:VALUE pairs, with partition_key last, or "
    "cassandra_bloom:mix:BITS";

const char kRefusedId[] = "cassandra_bloom:a-refused-setting";

namespace {

constexpr char kUniform[] = "uniform";
constexpr char kMonkey[] = "monkey";

constexpr char kCassandra[] = "cassandra";
constexpr char kRocksdb[] = "rocksdb";

bool HasList(const CassandraBloomOptions& options) {
  return !options.level_bits.empty() || !options.level_fp_chance.empty();
}

// Returns "name=text;name=text" for error messages.
std::string Join(const OptionTexts& texts) {
  std::string all;
  for (const auto& [name, text] : texts) {
    all += (all.empty() ? "" : ";") + name + "=" + text;
  }
  return all;
}

// Returns true if two options set the same thing or exclude each other.
bool AreInConflict(const CassandraBloomOptions& options,
                   const OptionTexts& given) {
  const bool has_chance =
      options.fp_chance != 0 || given.count(kFpChanceOption) > 0;
  const OptionTexts all = given.empty() ? FormatOptions(options) : given;
  if (all.count(kMixOption) > 0) {
    return all.size() > 1;
  }
  const int num_sizes = static_cast<int>(given.count(kBitsPerKeyOption)) +
                        (has_chance ? 1 : 0) +
                        (options.level_bits.empty() ? 0 : 1) +
                        (options.level_fp_chance.empty() ? 0 : 1);
  return num_sizes > 1 ||
         (options.bottommost_bits && options.bottommost_fp_chance);
}

std::string IdOf(const CassandraBloomOptions& options) {
  const OptionTexts texts = FormatOptions(options);
  std::string id = kPolicyName;
  if (options.fp_chance == 0 && options.mix == 0 && !HasList(options)) {
    id += ":" + FormatNumber(options.bits_per_key);
  }
  VisitOptions([&](const std::string& name, const NumberRange&, auto) {
    const auto text = texts.find(name);
    if (text != texts.end() && name != kBitsPerKeyOption) {
      id += ":" + (name == kFpChanceOption ? kFpChancePrefix : name + ":") +
            text->second;
    }
    return true;
  });
  return id;
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
  for (const double chance : options->level_fp_chance) {
    sizing->levels.push_back(SizingForFpChance(chance));
  }
  if (sizing->levels.empty()) {
    sizing->levels.push_back(options->fp_chance != 0
                                 ? SizingForFpChance(options->fp_chance)
                                 : SizingForBits(&options->bits_per_key));
  }
  sizing->has_bottommost =
      options->bottommost_bits || options->bottommost_fp_chance;
  if (options->bottommost_bits) {
    sizing->bottommost = SizingForBits(&*options->bottommost_bits);
  } else if (options->bottommost_fp_chance) {
    sizing->bottommost = SizingForFpChance(*options->bottommost_fp_chance);
  }
}

std::string WhyNotMonkey(const CassandraBloomOptions& options,
                         const MonkeyAllocation& monkey) {
  if (options.fp_chance != 0 || HasList(options) || options.bottommost_bits ||
      options.bottommost_fp_chance) {
    return "'" + Join(FormatOptions(options)) +
           "': allocation=monkey spreads the average, bits_per_key, over the "
           "levels, and cannot be combined with other numbers of bits or "
           "chances";
  }
  if (monkey.BottomBitsPerKey() < 1) {
    return "allocation=monkey would leave less than one bit per key for the "
           "last level: give more than bits_per_key=" +
           FormatNumber(monkey.average_bits_per_key);
  }
  if (monkey.MostBitsPerKey() > kMaxBitsPerKey) {
    return "allocation=monkey would give more than 100 bits per key to small "
           "levels: give less than bits_per_key=" +
           FormatNumber(monkey.average_bits_per_key);
  }
  return "";
}

bool SetAllocation(CassandraBloomOptions* options, LevelSizing* sizing,
                   std::string* error) {
  if (options->allocation == kUniform) {
    if (options->size_ratio || options->bottom_level) {
      *error = "'" + Join(FormatOptions(*options)) +
               "': size_ratio and bottom_level have no effect without "
               "allocation=monkey";
    }
    return error->empty();
  }
  if (options->allocation != kMonkey) {
    *error =
        "allocation '" + options->allocation + "' is not uniform or monkey";
    return false;
  }
  MonkeyAllocation monkey;
  monkey.average_bits_per_key = options->bits_per_key;
  if (options->size_ratio == monkey.size_ratio) {
    options->size_ratio.reset();  // An id omits defaults.
  }
  monkey.size_ratio = options->size_ratio.value_or(monkey.size_ratio);
  monkey.bottom_level = options->bottom_level;
  sizing->monkey = monkey;
  *error = WhyNotMonkey(*options, monkey);
  return error->empty();
}

bool SetPartitionKey(CassandraBloomOptions* options,
                     PartitionKeyExtractor* extractor, std::string* error) {
  const auto parsed =
      PartitionKeyExtractor::Parse(options->partition_key, error);
  if (parsed) {
    *extractor = *parsed;
    options->partition_key = parsed->spelling();
  }
  return parsed.has_value();
}

bool SetFilterType(const char* option, const std::string& name,
                   FilterType* type, std::string* error) {
  if (name == kCassandra) {
    *type = FilterType::kCassandra;
  } else if (name == "bloom") {
    *type = FilterType::kBloom;
  } else if (name == "ribbon") {
    *type = FilterType::kRibbon;
  } else {
    *error = std::string(option) + " '" + name +
             "' is not cassandra, bloom or ribbon";
  }
  return error->empty();
}

bool SetFilterTypes(CassandraBloomOptions* options, PolicySettings* settings,
                    std::string* error) {
  if (options->bottommost_filter == options->filter) {
    options->bottommost_filter.clear();  // An id omits defaults.
  }
  const std::string& bottommost = options->bottommost_filter.empty()
                                      ? options->filter
                                      : options->bottommost_filter;
  if (!SetFilterType("filter", options->filter, &settings->filter, error) ||
      !SetFilterType("bottommost_filter", bottommost,
                     &settings->bottommost_filter, error)) {
    return false;
  }
  const bool is_ours = settings->filter == FilterType::kCassandra &&
                       settings->bottommost_filter == FilterType::kCassandra;
  if (!is_ours && settings->block_form != BlockForm::kBesideRocksdb) {
    *error = "'" + Join(FormatOptions(*options)) +
             "': RocksDB's own filters, bloom and ribbon, need blocks=rocksdb";
  }
  return error->empty();
}

bool SetBlocks(const CassandraBloomOptions& options, PolicySettings* settings,
               std::string* error) {
  if (options.blocks == kCassandra) {
    return true;
  }
  settings->block_form = BlockForm::kBesideRocksdb;
  if (options.blocks != kRocksdb) {
    *error = "blocks '" + options.blocks + "' is not cassandra or rocksdb";
  } else if (!settings->partition_key.is_whole()) {
    *error = "'" + Join(FormatOptions(options)) +
             "': blocks=rocksdb also reads RocksDB's own filters, which hold "
             "whole keys; leave out blocks or partition_key";
  }
  return error->empty();
}

PolicySettings CheckConsistentOptions(CassandraBloomOptions options) {
  std::string error;
  PolicySettings settings;
  // These functions change `options` to the values that are really used.
  SetSizing(&options, &settings.sizing);
  if (!SetAllocation(&options, &settings.sizing, &error) ||
      !SetPartitionKey(&options, &settings.partition_key, &error) ||
      !SetBlocks(options, &settings, &error) ||
      !SetFilterTypes(&options, &settings, &error)) {
    return RefusedSettings(error);
  }
  const bool has_chances = options.fp_chance != 0 ||
                           !options.level_fp_chance.empty() ||
                           options.bottommost_fp_chance;
  settings.may_fit_memory =
      settings.block_form == BlockForm::kBesideRocksdb && !has_chances;
  settings.id = IdOf(options);
  return settings;
}

}  // namespace

PolicySettings CheckOptions(const CassandraBloomOptions& wanted,
                            const OptionTexts& given) {
  std::string error;
  if (AreInConflict(wanted, given)) {
    return RefuseConflict(Join(given.empty() ? FormatOptions(wanted) : given));
  }
  if (!AreInRange(wanted, given, &error)) {
    return RefusedSettings(error);
  }
  return wanted.mix != 0 || given.count(kMixOption) > 0
             ? MixSettings(wanted.mix)
             : CheckConsistentOptions(wanted);
}

PolicySettings SettingsForFpChance(double fp_chance) {
  CassandraBloomOptions options;
  options.fp_chance = fp_chance;
  return CheckOptions(options, {{kFpChanceOption, FormatNumber(fp_chance)}});
}

PolicySettings MixSettings(double bits_per_key) {
  CassandraBloomOptions options;
  options.bits_per_key = bits_per_key;
  options.allocation = kMonkey;
  options.blocks = kRocksdb;
  options.bottommost_filter = "ribbon";
  PolicySettings settings = CheckConsistentOptions(options);
  if (settings.error.empty()) {
    CassandraBloomOptions mix;
    mix.mix = settings.sizing.levels.front()->bits_per_key();
    settings.id = IdOf(mix);
    settings.is_mix = true;
    return settings;
  }
  return RefusedSettings(std::string(kMixOption) + " '" +
                         FormatNumber(bits_per_key) + "' is not " +
                         kMixRange.what_is_right);
}

PolicySettings RefusedSettings(const std::string& error) {
  PolicySettings settings;
  settings.id = kRefusedId;
  settings.error = std::string(kPolicyName) + ": " + error;
  return settings;
}

PolicySettings RefuseConflict(const std::string& text) {
  return RefusedSettings(
      "'" + text +
      "' gives one setting twice, or two that exclude each other (mix excludes "
      "all others); " +
      kPolicyUsage);
}

}  // namespace cassandra_bloom
