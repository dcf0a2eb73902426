// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "plugin/filter/format_number.h"
#include "plugin/filter/sizing.h"
#include "plugin/lsm/level_sizing.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

using Options = ROCKSDB_NAMESPACE::CassandraBloomOptions;

constexpr char kBitsPerKey[] = "bits_per_key";
constexpr char kFpChance[] = "fp_chance";
constexpr char kMix[] = "mix";
constexpr char kPartitionKey[] = "partition_key";

// In a string, "fp:CHANCE" stands for fp_chance.
constexpr char kFpInString[] = "fp";

constexpr char kUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key), "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1) or "
    "cassandra_bloom:mix:BITS, each optionally followed by :OPTION:VALUE "
    "pairs, with partition_key last";

using Member =
    std::variant<double Options::*, std::vector<double> Options::*,
                 std::optional<double> Options::*, std::string Options::*>;

struct Option {
  const char* name;
  Member member;
  const char* what_is_right;  // For error messages.
  // The range of a number.
  double lowest = 0;
  double highest = 0;
  // The words that a text may be, between bars. Empty: any text.
  std::string_view words = "";
};

constexpr char kBits[] = "a number from 0 to 100";
constexpr char kFilters[] = "cassandra, bloom or ribbon";

// In the order in which FormatOptions writes them. Compile checks the
// partition key.
constexpr Option kOptions[] = {
    {kBitsPerKey, &Options::bits_per_key, kBits, 0, kMaxBitsPerKey},
    {kFpChance, &Options::fp_chance, "a number from 0.0000671 to 1",
     kMinFpChance, 1},
    {kMix, &Options::bits_per_key, "a number from 1.533 to 86.15",
     kLeastMonkeyAverage, kMostMonkeyAverage},
    {"level_bits", &Options::level_bits, kBits, 0, kMaxBitsPerKey},
    {"bottommost_bits", &Options::bottommost_bits, kBits, 0, kMaxBitsPerKey},
    {"allocation", &Options::allocation, "uniform or monkey", 0, 0,
     "|uniform|monkey|"},
    {"filter", &Options::filter, kFilters, 0, 0, "|cassandra|bloom|ribbon|"},
    {"bottommost_filter", &Options::bottommost_filter, kFilters, 0, 0,
     "|cassandra|bloom|ribbon|"},  // Without it: that of `filter`.
    {"blocks", &Options::blocks, "cassandra or rocksdb", 0, 0,
     "|cassandra|rocksdb|"},
    {kPartitionKey, &Options::partition_key, ""},
};

// Names that a user may expect to be options, and what to write instead.
constexpr struct {
  const char* name;
  const char* instead;
} kNoOptions[] = {
    {"level_fp_chance",
     "write level_bits with Cassandra's bits per key for each chance: 5 for "
     "0.1, 10 for 0.01, 15 for 0.001 and 20 for 0.0001"},
    {"bottommost_fp_chance",
     "write bottommost_bits with Cassandra's bits per key for the chance: 5 "
     "for 0.1, 10 for 0.01, 15 for 0.001 and 20 for 0.0001"},
    {"size_ratio",
     "leave it out, because allocation=monkey takes RocksDB's "
     "max_bytes_for_level_multiplier"},
    {"bottom_level",
     "leave it out, and set level_compaction_dynamic_level_bytes=true, so that "
     "the last level holds data; otherwise allocation=monkey gives all levels "
     "the average"},
};

// Returns the element of kOptions or kNoOptions with this name, or nullptr.
template <typename Table>
auto Find(const Table& table, const std::string& name) -> decltype(&table[0]) {
  for (const auto& element : table) {
    if (element.name == name) {
      return &element;
    }
  }
  return nullptr;
}

// True for the options that FormatOptions does not write as :NAME:VALUE.
bool IsNumberInFront(const std::string& name) {
  return name == kBitsPerKey || name == kFpChance || name == kMix;
}

Options OptionsOfMix() {
  Options mix;
  mix.allocation = "monkey";
  mix.filter = "bloom";
  mix.bottommost_filter = "ribbon";
  mix.blocks = "rocksdb";
  return mix;
}

constexpr char kTheSize[] = "the size";

// Returns the settings that an option sets. No two options may set the same.
std::vector<std::string> SetBy(const std::string& name) {
  if (name == kMix) {
    return {kTheSize, "allocation", "bottommost_filter", "blocks"};
  }
  return {IsNumberInFront(name) || name == "level_bits" ? kTheSize : name};
}

// ---- Values ----

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// Returns NaN if the text is not a number. Ignores the locale.
double NumberOf(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc() && parsed_to == end ? value : NAN;
}

// Sets the option's member from a text. Returns an error message, or "".
std::string ReadValue(const Option& option, const std::string& text,
                      Options* options) {
  const std::string* wrong = nullptr;
  const auto number = [&](const std::string& item) {
    const double value = NumberOf(item);
    if (!(value >= option.lowest && value <= option.highest) &&
        wrong == nullptr) {
      wrong = &item;
    }
    return value;
  };
  const std::vector<std::string> items = SplitList(text);
  std::visit(
      [&](auto member) {
        auto& value = options->*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          value = text;
          const bool is_a_word =
              text.find('|') == std::string::npos &&
              option.words.find("|" + text + "|") != std::string_view::npos;
          if (!option.words.empty() && !is_a_word) {
            wrong = &text;
          }
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          value.clear();
          for (const std::string& item : items) {
            value.push_back(number(item));
          }
        } else {
          value = number(text);
        }
      },
      option.member);
  return wrong == nullptr ? ""
                          : std::string(option.name) + " '" + text + "'" +
                                (*wrong == text ? "" : ": '" + *wrong + "'") +
                                " is not " + option.what_is_right;
}

// Returns the text of the option's member.
std::string TextOf(const Option& option, const Options& options) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = options.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          return value;
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          std::string text;
          for (const double number : value) {
            text += (text.empty() ? "" : ",") + FormatNumber(number);
          }
          return text;
        } else if constexpr (std::is_same_v<Value, double>) {
          return FormatNumber(value);
        } else {
          return value ? FormatNumber(*value) : "";
        }
      },
      option.member);
}

// ---- Texts ----

using Given = std::vector<std::pair<std::string, std::string>>;

// Takes a colon and what follows it up to the next colon from `*rest`.
std::string TakeWord(std::string_view* rest) {
  const std::string word(rest->substr(1, rest->find(':', 1) - 1));
  rest->remove_prefix(1 + word.size());
  return word;
}

bool IsNameInString(const std::string& name) {
  return name == kFpInString ||
         (Find(kOptions, name) != nullptr && name != kBitsPerKey &&
          name != kFpChance) ||
         Find(kNoOptions, name) != nullptr;
}

// Splits what follows the policy's name in a string. `rest` is empty or begins
// with a colon.
Given Split(std::string_view rest) {
  Given given;
  while (!rest.empty()) {
    std::string name = TakeWord(&rest);
    if (given.empty() && !IsNameInString(name)) {
      given.emplace_back(kBitsPerKey, name);
      continue;
    }
    std::string value;
    if (name == kPartitionKey) {
      value = rest.substr(std::min<size_t>(1, rest.size()));
      rest = {};
    } else if (!rest.empty()) {
      value = TakeWord(&rest);
    }
    given.emplace_back(
        given.empty() && name == kFpInString ? std::string(kFpChance) : name,
        value);
  }
  return given;
}

bool HasOurName(const std::string& text) {
  const size_t length = std::string(kPolicyName).size();
  return text.compare(0, length, kPolicyName) == 0 &&
         (text.size() == length || text[length] == ':');
}

// `written` is the name as the user wrote it, perhaps with the value.
std::string UnknownOption(const std::string& name, const std::string& written) {
  if (const auto* const no_option = Find(kNoOptions, name)) {
    return "'" + name + "' is not an option: " + no_option->instead;
  }
  std::string known;
  for (const Option& option : kOptions) {
    if (option.name != std::string(kBitsPerKey) &&
        option.name != std::string(kFpChance)) {
      known += std::string(", ") + option.name;
    }
  }
  return "unknown option '" + written +
         "'; the options are bits_per_key (0 to 100) or fp_chance (0.0000671 "
         "to 1)" +
         known;
}

// Returns the error about a text in which two options, perhaps the same one
// twice, set the same setting.
std::string ConflictIn(const std::string& text, const std::string& first,
                       const std::string& second, const std::string& setting) {
  return "'" + text + "': " +
         (first == second ? first + " is given twice"
                          : first + " and " + second + " both set " + setting +
                                ": leave one of them out") +
         "; " + kUsage;
}

}  // namespace

std::optional<Options> ParseOptions(const std::string& text,
                                    const OptionTexts& beside,
                                    std::string* error) {
  if (!HasOurName(text)) {
    *error = "'" + text + "' is not a filter policy; " + kUsage;
    return std::nullopt;
  }
  if (text == kRefusedId) {
    *error = "the policy was refused when RocksDB wrote '" + text +
             "'; the LOG of that time has the setting and the reason; write "
             "the right policy in its place";
    return std::nullopt;
  }
  Given given =
      Split(std::string_view(text).substr(std::string(kPolicyName).size()));
  for (size_t i = 1; i < given.size(); ++i) {
    const std::string& name = given[i].first;
    if (name == kBitsPerKey || name == kFpChance || name == kFpInString) {
      *error = "'" + name + "' is not an option that can follow in '" + text +
               "'; " + kUsage;
      return std::nullopt;
    }
  }
  std::string all = text;
  for (const auto& [name, value] : beside) {
    given.emplace_back(name, value);
    all += ";" + name + "=" + value;
  }
  Options options;
  for (const auto& [name, value] : given) {
    options = name == kMix ? OptionsOfMix() : options;
  }
  std::map<std::string, std::string> set_by;  // From a setting to its option.
  for (const auto& [name, value] : given) {
    const Option* const option = Find(kOptions, name);
    if (option == nullptr) {
      *error = UnknownOption(
          name, beside.count(name) > 0 ? name + "=" + value : name);
      return std::nullopt;
    }
    for (const std::string& setting : SetBy(name)) {
      const auto [earlier, is_first] = set_by.emplace(setting, name);
      if (!is_first) {
        *error = ConflictIn(all, earlier->second, name, setting);
        return std::nullopt;
      }
    }
    *error = ReadValue(*option, value, &options);
    if (!error->empty()) {
      return std::nullopt;
    }
  }
  return options;
}

std::string FormatOptions(const Options& given) {
  Options options = given;
  if (options.bottommost_filter.empty()) {
    options.bottommost_filter = options.filter;
  }
  const Options mix = OptionsOfMix();
  const bool is_mix = options.fp_chance == 0 && options.level_bits.empty() &&
                      options.allocation == mix.allocation &&
                      options.blocks == mix.blocks &&
                      options.bottommost_filter == mix.bottommost_filter;
  Options base = is_mix ? mix : Options();
  if (!is_mix) {
    base.bottommost_filter = options.filter;
  }
  std::string text = kPolicyName;
  if (is_mix) {
    text += ":" + std::string(kMix) + ":" + FormatNumber(options.bits_per_key);
  } else if (options.fp_chance != 0) {
    text +=
        ":" + std::string(kFpInString) + ":" + FormatNumber(options.fp_chance);
  } else if (options.level_bits.empty()) {
    text += ":" + FormatNumber(options.bits_per_key);
  }
  for (const Option& option : kOptions) {
    const std::string value = TextOf(option, options);
    if (!IsNumberInFront(option.name) && value != TextOf(option, base)) {
      text += ":" + std::string(option.name) + ":" + value;
    }
  }
  return text;
}

std::string WrongValue(const Options& options) {
  const Options defaults;
  Options ignored;
  std::string error;
  for (const Option& option : kOptions) {
    const std::string value = TextOf(option, options);
    if (error.empty() && value != TextOf(option, defaults) &&
        option.member != Member(&Options::bits_per_key)) {
      error = ReadValue(option, value, &ignored);
    }
  }
  if (error.empty() && options.fp_chance != 0 && !options.level_bits.empty()) {
    error =
        ConflictIn(FormatOptions(options), kFpChance, "level_bits", kTheSize);
  }
  return error;
}

}  // namespace cassandra_bloom
