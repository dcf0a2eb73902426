// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

const char kPolicyUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key) or "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1), each "
    "optionally followed by :OPTION:VALUE pairs, with partition_key last";

namespace {

// The id of a wrong setting that cannot be stored as it is.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";

constexpr char kUniform[] = "uniform";
constexpr char kMonkey[] = "monkey";
constexpr char kWholeKey[] = "whole";

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

std::string FormatList(const std::vector<double>& numbers) {
  std::string list;
  for (const double number : numbers) {
    list += (list.empty() ? "" : ",") + FormatNumber(number);
  }
  return list;
}

// Adds to `*texts` the name and the text of each option that does not have its
// default.
struct Formatter {
  bool operator()(const char* name, const NumberRange& /*range*/,
                  const std::vector<double>& list) const {
    return Add(name, FormatList(list), list.empty());
  }
  template <typename Number>
  bool operator()(const char* name, const NumberRange& /*range*/,
                  const std::optional<Number>& value) const {
    return Add(name, FormatNumber(value.value_or(0)), !value);
  }
  bool operator()(const char* name, const std::string& text) const {
    return Add(name, text, text == kUniform || text == kWholeKey);
  }
  bool Add(const char* name, const std::string& text, bool is_default) const {
    if (!is_default) {
      texts->emplace_back(name, text);
    }
    return true;
  }

  OptionTexts* texts;
};

// The names and texts of all options that do not have their default, except
// bits_per_key.
OptionTexts TextsOf(const CassandraBloomOptions& options) {
  OptionTexts texts;
  if (options.fp_chance != 0) {
    texts.emplace_back(kFpChanceOption, FormatNumber(options.fp_chance));
  }
  VisitOptions(options, Formatter{&texts});
  return texts;
}

std::string AllTexts(const CassandraBloomOptions& options) {
  std::string all;
  for (const auto& [name, text] : TextsOf(options)) {
    all += (all.empty() ? "" : ";") + name + "=" + text;
  }
  return all;
}

// Returns false if a number in an option is out of the option's range.
struct RangeChecker {
  bool operator()(const char* name, const NumberRange& range,
                  const std::vector<double>& list) const {
    for (const double value : list) {
      if (!IsInRange(range, value, FormatNumber(value), error)) {
        *error = std::string(name) + " '" + FormatList(list) + "': " + *error;
        return false;
      }
    }
    return true;
  }
  template <typename Number>
  bool operator()(const char* name, const NumberRange& range,
                  const std::optional<Number>& value) const {
    if (!value || IsInRange(range, *value, FormatNumber(*value), error)) {
      return true;
    }
    if (range.name != std::string(name)) {
      *error = std::string(name) + ": " + *error;
    }
    return false;
  }
  bool operator()(const char* /*name*/, const std::string& /*text*/) const {
    return true;
  }

  std::string* error;
};

bool HasList(const CassandraBloomOptions& options) {
  return !options.level_bits.empty() || !options.level_fp_chance.empty();
}

bool ContradictsItself(const CassandraBloomOptions& options) {
  const int num_sizes = (options.fp_chance != 0 ? 1 : 0) +
                        (options.level_bits.empty() ? 0 : 1) +
                        (options.level_fp_chance.empty() ? 0 : 1);
  return num_sizes > 1 ||
         (options.bottommost_bits && options.bottommost_fp_chance);
}

// The id of valid options.
std::string IdOf(const CassandraBloomOptions& options) {
  std::string id = kPolicyName;
  if (options.fp_chance == 0 && !HasList(options)) {
    id += ":" + FormatNumber(options.bits_per_key);
  }
  for (const auto& [name, text] : TextsOf(options)) {
    id += ":" + (name == kFpChanceOption ? kFpChancePrefix : name + ":") + text;
  }
  return id;
}

// Returns the sizing for `*bits`, and sets `*bits` to the number that takes
// effect.
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

std::string WhyNotUniform(const CassandraBloomOptions& options) {
  for (const auto& [name, text] : TextsOf(options)) {
    if (name == kSizeRatioOption || name == kBottomLevelOption) {
      return name + "=" + text + " has no effect without allocation=monkey";
    }
  }
  return "";
}

std::string WhyNotMonkey(const CassandraBloomOptions& options,
                         const MonkeyAllocation& monkey) {
  for (const auto& [name, text] : TextsOf(options)) {
    if (name != kAllocationOption && name != kSizeRatioOption &&
        name != kBottomLevelOption && name != kPartitionKeyOption) {
      return name + "=" + text +
             " cannot be combined with allocation=monkey, which spreads the "
             "average, bits_per_key, over the levels";
    }
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
    *error = WhyNotUniform(*options);
    return error->empty();
  }
  if (options->allocation != kMonkey) {
    *error = std::string(kAllocationOption) + " '" + options->allocation +
             "' is not uniform or monkey";
    return false;
  }
  MonkeyAllocation monkey;
  monkey.average_bits_per_key = options->bits_per_key;
  if (options->size_ratio == monkey.size_ratio) {
    options->size_ratio.reset();  // Ids omit the default.
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

}  // namespace

PolicySettings SettingsOf(const CassandraBloomOptions& given) {
  std::string error;
  if (ContradictsItself(given)) {
    return SaysOneThingTwice(AllTexts(given));
  }
  if ((given.fp_chance != 0 &&
       !IsInRange(kChanceRange, given.fp_chance, FormatNumber(given.fp_chance),
                  &error)) ||
      !VisitOptions(given, RangeChecker{&error})) {
    return RefusedSettings(error);
  }
  CassandraBloomOptions options = given;  // Changed to what takes effect.
  PolicySettings settings;
  SetSizing(&options, &settings.sizing);
  if (!SetAllocation(&options, &settings.sizing, &error) ||
      !SetPartitionKey(&options, &settings.partition_key, &error)) {
    return RefusedSettings(error);
  }
  settings.id = IdOf(options);
  return settings;
}

PolicySettings SettingsForFpChance(double fp_chance) {
  std::string error;
  if (!IsInRange(kChanceRange, fp_chance, FormatNumber(fp_chance), &error)) {
    return RefusedSettings(error);
  }
  CassandraBloomOptions options;
  options.fp_chance = fp_chance;
  return SettingsOf(options);
}

PolicySettings RefusedSettings(const std::string& error) {
  PolicySettings settings;
  settings.id = kRefusedId;
  settings.error = std::string(kPolicyName) + ": " + error;
  return settings;
}

PolicySettings SaysOneThingTwice(const std::string& text) {
  return RefusedSettings(
      "'" + text +
      "' gives one setting twice, or two that exclude each other; " +
      kPolicyUsage);
}

std::string FormatNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

bool IsInRange(const NumberRange& range, double value, const std::string& text,
               std::string* error) {
  const bool is_in_range = value >= range.lowest && value <= range.highest;
  if (!is_in_range) {
    *error = std::string(range.name) + " '" + text + "' is not " +
             range.what_is_right;
  }
  return is_in_range;
}

}  // namespace cassandra_bloom
