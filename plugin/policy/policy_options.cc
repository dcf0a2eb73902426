// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "plugin/filter/format_number.h"
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

struct Option {
  std::string_view name;
  std::variant<double Options::*, std::optional<double> Options::*,
               std::vector<double> Options::*, std::string Options::*>
      member;
  const char* takes;
  // Each of these options sets the size, so a policy has only one of them.
  bool is_size = false;
  // True for the options that go with mix.
  bool goes_with_mix = false;
};

constexpr char kBits[] = "a number from 0 to 100";
constexpr char kFilters[] = "cassandra, bloom or ribbon";

// In the order in which FormatOptions writes them.
constexpr Option kOptions[] = {
    {kBitsPerKey, &Options::bits_per_key, kBits, /*is_size=*/true},
    {kFpChance, &Options::fp_chance, "a number from 0.0000671 to 1", true},
    {kMix, &Options::mix, "a number from 1 to 100", true},
    {"level_bits", &Options::level_bits, kBits, true},
    {"bottommost_bits", &Options::bottommost_bits, kBits},
    {"filter", &Options::filter, kFilters, false, /*goes_with_mix=*/true},
    {"bottommost_filter", &Options::bottommost_filter, kFilters, false, true},
    {"blocks", &Options::blocks, "cassandra or rocksdb"},
    {kPartitionKey, &Options::partition_key,
     "a part of a key, such as skip:8,u16"},
};

const Option* Find(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kOptions), std::end(kOptions),
                   [&](const Option& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

// ---- Values ----

// Returns nullopt if the text is not a number. Ignores the locale.
std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc() && parsed_to == end && std::isfinite(value)
             ? std::optional(value)
             : std::nullopt;
}

// Sets the option's member from a text. Returns false if the text is empty or
// not of the member's type.
bool SetValue(const Option& option, const std::string& text, Options* options) {
  if (const auto* const word =
          std::get_if<std::string Options::*>(&option.member)) {
    options->** word = text;
    return !text.empty();
  }
  std::vector<double> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const auto number =
        NumberOf(std::string_view(text).substr(begin, end - begin));
    if (!number) {
      return false;
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (const auto* const list =
          std::get_if<std::vector<double> Options::*>(&option.member)) {
    options->** list = numbers;
    return true;
  }
  if (const auto* const number =
          std::get_if<double Options::*>(&option.member)) {
    options->** number = numbers.front();
  } else {
    options->*std::get<std::optional<double> Options::*>(option.member) =
        numbers.front();
  }
  return numbers.size() == 1;
}

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

// Below 0.5, bits per key are no filter. So a chance that was meant would
// silently switch filters off. 0 is for those who want no filter.
std::string WrongBitsPerKey(double bits) {
  if (bits > 0 && bits < 0.5) {
    const std::string number = FormatNumber(bits);
    return "bits_per_key '" + number +
           "' would build no filter; for a false positive chance write "
           "cassandra_bloom:fp:" +
           number + ", and for no filter cassandra_bloom:0";
  }
  return bits >= 0 && bits <= 100 ? ""
                                  : WrongValue(kBitsPerKey, FormatNumber(bits));
}

std::string NotBesideMix(std::string_view option) {
  return "mix goes with filter and bottommost_filter, not with " +
         std::string(option);
}

// ---- Texts ----

using Given = std::vector<std::pair<std::string, std::string>>;

// Takes a colon and what follows it up to the next colon from `*rest`.
std::string TakeWord(std::string_view* rest) {
  const std::string word(rest->substr(1, rest->find(':', 1) - 1));
  rest->remove_prefix(1 + word.size());
  return word;
}

// Splits what follows the policy's name in a string into names and values.
// `rest` is empty or begins with a colon. A first word that is no name is the
// number of bits per key.
Given Split(std::string_view rest) {
  Given given;
  while (!rest.empty()) {
    std::string name = TakeWord(&rest);
    const bool is_name =
        name == kFpInString || name == "allocation" ||
        (Find(name) != nullptr && name != kBitsPerKey && name != kFpChance);
    if (given.empty() && !is_name) {
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
  if (name == "allocation") {
    return "'" + written +
           "': there is no allocation by level any more; mix gives small "
           "levels more bits per key than the last one: write "
           "cassandra_bloom:mix:BITS";
  }
  std::string known;
  for (const Option& option : kOptions) {
    known += (known.empty() ? "" : ", ") + std::string(option.name);
  }
  return "unknown option '" + written + "'; the options are " + known;
}

}  // namespace

std::string WrongValue(const std::string& option, const std::string& value) {
  const Option* const found = Find(option);
  return option + " '" + value + "' is not " +
         (found == nullptr ? "an option" : found->takes);
}

std::string ExcludedByMix(const Options& options) {
  const Options defaults;
  for (const Option& option : kOptions) {
    if (options.mix && !option.goes_with_mix && option.name != kMix &&
        option.name != kBitsPerKey &&
        TextOf(option, options) != TextOf(option, defaults)) {
      return NotBesideMix(option.name);
    }
  }
  return "";
}

std::optional<Options> ParseOptions(const std::string& text,
                                    const OptionTexts& beside,
                                    std::string* error) {
  if (!HasOurName(text)) {
    *error = "'" + text + "' is not a filter policy";
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
      *error =
          "'" + name + "' is not an option that can follow in '" + text + "'";
      return std::nullopt;
    }
  }
  std::string all = text;
  for (const auto& [name, value] : beside) {
    given.emplace_back(name, value);
    all += ";" + name + "=" + value;
  }
  Options options;
  OptionTexts set_by;  // From a setting to the option that sets it.
  for (const auto& [name, value] : given) {
    const Option* const option = Find(name);
    if (option == nullptr) {
      *error = UnknownOption(
          name, beside.count(name) > 0 ? name + "=" + value : name);
      return std::nullopt;
    }
    const auto [earlier, is_first] =
        set_by.emplace(option->is_size ? "the size" : name, name);
    if (!is_first) {
      *error = "'" + all + "': " +
               (earlier->second == name
                    ? name + " is given twice"
                    : earlier->second + " and " + name +
                          " both set the size: leave one of them out");
      return std::nullopt;
    }
    *error = SetValue(*option, value, &options) ? "" : WrongValue(name, value);
    if (error->empty() && name == kBitsPerKey) {
      *error = WrongBitsPerKey(options.bits_per_key);
    }
    if (!error->empty()) {
      return std::nullopt;
    }
  }
  for (const auto& [name, value] : given) {
    if (options.mix && name != kMix && !Find(name)->goes_with_mix) {
      *error = "'" + all + "': " + NotBesideMix(name);
      return std::nullopt;
    }
  }
  return options;
}

std::string FormatOptions(const Options& options) {
  const Options defaults;
  std::string text = kPolicyName;
  if (options.mix) {
    text += ":mix:" + FormatNumber(*options.mix);
  } else if (options.fp_chance) {
    text +=
        ":" + std::string(kFpInString) + ":" + FormatNumber(*options.fp_chance);
  } else if (options.level_bits.empty()) {
    text += ":" + FormatNumber(options.bits_per_key);
  }
  for (const Option& option : kOptions) {
    const bool is_in_front = option.is_size && option.name != "level_bits";
    const std::string value = TextOf(option, options);
    if (!is_in_front && value != TextOf(option, defaults)) {
      text += ":" + std::string(option.name) + ":" + value;
    }
  }
  return text;
}

std::string ProbablyMeant(const std::string& text) {
  std::string meant = text;
  for (char& c : meant) {
    c = c == '='
            ? ':'
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto replace = [&meant](const std::string& from,
                                const std::string& by) {
    const size_t at = meant.find(from);
    if (at != std::string::npos) {
      meant.replace(at, from.size(), by);
    }
  };
  replace("cassandra-bloom", kPolicyName);
  replace(":fp_chance:", ":fp:");
  replace(":bits_per_key:", ":");
  replace(":bits:", ":");
  // RocksDB's own policies end so: bloomfilter:10:false.
  for (const char* const end : {":false", ":true"}) {
    if (meant.size() > std::string(end).size() &&
        meant.compare(meant.size() - std::string(end).size(), std::string::npos,
                      end) == 0) {
      meant.resize(meant.size() - std::string(end).size());
    }
  }
  return meant;
}

}  // namespace cassandra_bloom
