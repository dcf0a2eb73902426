// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <system_error>

#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

constexpr double kDefaultBitsPerKey = 10;
// What is stored for a wrong setting that cannot be stored as it is.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";

// One of the two ways to say how large a filter is.
struct Measure {
  const char* name;
  const char* range;
  double lowest;
  double highest;
  std::optional<Sizing> (*sizing_for)(double value);
};

constexpr Measure kBits = {"bits per key", "0 to 100", 0, kMaxBitsPerKey,
                           SizingForBitsPerKey};
constexpr Measure kChance = {"false positive chance", "0.0000671 to 1",
                             kMinFpChance, 1, SizingForFpChance};

// The whole of `text` as a number, in any locale.
std::optional<double> ParseNumber(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end) {
    return std::nullopt;
  }
  return value;
}

// None for NaN, too.
std::optional<double> ParseNumberWithin(const std::string& text, double lowest,
                                        double highest) {
  const std::optional<double> value = ParseNumber(text);
  return value && *value >= lowest && *value <= highest ? value : std::nullopt;
}

bool HasAtMostOneOf(const GivenOptions& given,
                    std::initializer_list<const char*> names) {
  return std::count_if(names.begin(), names.end(), [&](const char* name) {
           return given.count(name) > 0;
         }) <= 1;
}

// Reads the options, in the order in which they are in an id, until one is
// wrong.
class SettingsReader {
 public:
  explicit SettingsReader(const GivenOptions& given) : given_(given) {
    settings_.id = kPolicyName;
  }

  PolicySettings Read() {
    ReadLevels() && ReadBottommost() && ReadAllocation() && ReadPartitionKey();
    return error_.empty() ? settings_ : WrongSettings(error_);
  }

 private:
  const std::string* Find(const char* name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
  }

  bool Fail(const std::string& error) {
    error_ = error;
    return false;
  }

  bool FailIn(const char* name, const std::string& text,
              const std::string& what_is_right) {
    return Fail(std::string(name) + " '" + text + "' is not " + what_is_right);
  }

  void AddToId(const char* name, const std::string& value) {
    settings_.id += std::string(":") + name + ":" + value;
  }

  // Adds to `id` how the value is spelled that takes effect.
  bool ReadMeasured(const Measure& measure, const std::string& text,
                    std::optional<Sizing>* sizing, std::string* id) {
    const auto value = ParseNumberWithin(text, measure.lowest, measure.highest);
    if (!value) {
      return FailIn(measure.name, text,
                    std::string("a number from ") + measure.range);
    }
    *sizing = measure.sizing_for(*value);
    const double in_effect = &measure == &kChance ? *value
                             : *sizing            ? (*sizing)->bits_per_key()
                                                  : 0;
    *id += FormatNumber(in_effect);
    return true;
  }

  bool ReadLevels() {
    if (const std::string* const list = Find(kLevelBitsOption)) {
      return ReadList(kLevelBitsOption, kBits, *list);
    }
    if (const std::string* const list = Find(kLevelFpChanceOption)) {
      return ReadList(kLevelFpChanceOption, kChance, *list);
    }
    std::optional<Sizing>* const sizing = &settings_.sizing.levels[0];
    if (const std::string* const chance = Find(kFpChanceOption)) {
      settings_.id += std::string(":") + kFpChancePrefix;
      return ReadMeasured(kChance, *chance, sizing, &settings_.id);
    }
    const std::string* const bits = Find(kBitsPerKeyOption);
    settings_.id += ":";
    return ReadMeasured(
        kBits, bits == nullptr ? FormatNumber(kDefaultBitsPerKey) : *bits,
        sizing, &settings_.id);
  }

  bool ReadList(const char* name, const Measure& measure,
                const std::string& list) {
    settings_.sizing.levels.clear();
    std::string id;
    size_t begin = 0;
    while (begin <= list.size()) {
      const size_t end = std::min(list.find(',', begin), list.size());
      id += begin == 0 ? "" : ",";
      std::optional<Sizing> sizing;
      if (!ReadMeasured(measure, list.substr(begin, end - begin), &sizing,
                        &id)) {
        return Fail(std::string(name) + " '" + list + "': " + error_);
      }
      settings_.sizing.levels.push_back(sizing);
      begin = end + 1;
    }
    AddToId(name, id);
    return true;
  }

  bool ReadBottommost() {
    return ReadBottommost(kBottommostBitsOption, kBits) &&
           ReadBottommost(kBottommostFpChanceOption, kChance);
  }

  bool ReadBottommost(const char* name, const Measure& measure) {
    const std::string* const text = Find(name);
    if (text == nullptr) {
      return true;
    }
    std::string id;
    if (!ReadMeasured(measure, *text, &settings_.sizing.bottommost, &id)) {
      return Fail(std::string(name) + ": " + error_);
    }
    settings_.sizing.has_bottommost = true;
    AddToId(name, id);
    return true;
  }

  bool ReadAllocation() {
    const std::string* const allocation = Find(kAllocationOption);
    if (allocation != nullptr && *allocation == "monkey") {
      return ReadMonkey();
    }
    if (allocation != nullptr && *allocation != "uniform") {
      return FailIn(kAllocationOption, *allocation, "uniform or monkey");
    }
    for (const char* const name : {kSizeRatioOption, kBottomLevelOption}) {
      if (const std::string* const text = Find(name)) {
        return Fail(std::string(name) + "=" + *text +
                    " is without effect: it is for allocation=monkey");
      }
    }
    return true;
  }

  bool ReadMonkey() {
    for (const char* const name :
         {kFpChanceOption, kLevelBitsOption, kLevelFpChanceOption,
          kBottommostBitsOption, kBottommostFpChanceOption}) {
      if (const std::string* const text = Find(name)) {
        return Fail(std::string(name) + "=" + *text +
                    " cannot be with allocation=monkey, which spreads "
                    "bits_per_key, the average, over the levels");
      }
    }
    AddToId(kAllocationOption, "monkey");
    const std::optional<Sizing>& average = settings_.sizing.levels[0];
    MonkeyAllocation monkey;
    monkey.average_bits_per_key = average ? average->bits_per_key() : 0;
    if (!ReadSizeRatio(&monkey.size_ratio) ||
        !ReadBottomLevel(&monkey.bottom_level)) {
      return false;
    }
    if (monkey.BottomBitsPerKey() < 1) {
      return Fail(
          "allocation=monkey would leave less than one bit per key for the "
          "last level: give more than bits_per_key=" +
          FormatNumber(monkey.average_bits_per_key));
    }
    if (monkey.MostBitsPerKey() > kMaxBitsPerKey) {
      return Fail(
          "allocation=monkey would give more than 100 bits per key to small "
          "levels: give less than bits_per_key=" +
          FormatNumber(monkey.average_bits_per_key));
    }
    settings_.sizing.monkey = monkey;
    return true;
  }

  bool ReadSizeRatio(double* size_ratio) {
    const std::string* const text = Find(kSizeRatioOption);
    if (text == nullptr) {
      return true;
    }
    const auto value = ParseNumberWithin(*text, kMinSizeRatio, kMaxSizeRatio);
    if (!value) {
      return FailIn(kSizeRatioOption, *text, "a number from 2 to 1000");
    }
    if (*value != *size_ratio) {
      AddToId(kSizeRatioOption, FormatNumber(*value));
    }
    *size_ratio = *value;
    return true;
  }

  bool ReadBottomLevel(std::optional<int>* bottom_level) {
    const std::string* const text = Find(kBottomLevelOption);
    if (text == nullptr) {
      return true;
    }
    const auto value = ParseNumberWithin(*text, 1, 100);
    if (!value || *value != std::floor(*value)) {
      return FailIn(kBottomLevelOption, *text,
                    "the number of a level from 1 to 100");
    }
    AddToId(kBottomLevelOption, FormatNumber(*value));
    *bottom_level = static_cast<int>(*value);
    return true;
  }

  bool ReadPartitionKey() {
    const std::string* const spelling = Find(kPartitionKeyOption);
    if (spelling == nullptr) {
      return true;
    }
    const auto partition_key = PartitionKeyExtractor::Parse(*spelling, &error_);
    if (!partition_key) {
      return false;
    }
    if (!partition_key->is_whole()) {
      settings_.partition_key = *partition_key;
      AddToId(kPartitionKeyOption, partition_key->spelling());
    }
    return true;
  }

  const GivenOptions& given_;
  PolicySettings settings_;
  std::string error_;
};

}  // namespace

bool IsPolicyOption(const std::string& name) {
  return name == kBitsPerKeyOption || name == kFpChanceOption ||
         std::find(std::begin(kOptionsInId), std::end(kOptionsInId), name) !=
             std::end(kOptionsInId);
}

bool ContradictEachOther(const GivenOptions& given) {
  return !HasAtMostOneOf(given, {kBitsPerKeyOption, kFpChanceOption,
                                 kLevelBitsOption, kLevelFpChanceOption}) ||
         !HasAtMostOneOf(given,
                         {kBottommostBitsOption, kBottommostFpChanceOption});
}

PolicySettings SettingsOf(const GivenOptions& given) {
  return SettingsReader(given).Read();
}

PolicySettings WrongSettings(const std::string& error) {
  PolicySettings settings;
  settings.id = kRefusedId;
  settings.error = std::string(kPolicyName) + ": " + error;
  return settings;
}

std::string FormatNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace cassandra_bloom
