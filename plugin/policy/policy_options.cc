// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "plugin/filter/format_number.h"
#include "plugin/filter/sizing.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

using Options = ROCKSDB_NAMESPACE::CassandraBloomOptions;

constexpr char kBitsPerKey[] = "bits_per_key";
constexpr char kFpChance[] = "fp_chance";
constexpr char kMix[] = "mix";
constexpr char kLevelBits[] = "level_bits";
constexpr char kPartitionKey[] = "partition_key";

// In a string, "fp:CHANCE" stands for fp_chance.
constexpr char kFpInString[] = "fp";

struct Option {
  std::string_view name;
  std::variant<double Options::*, std::optional<double> Options::*,
               std::vector<double> Options::*, std::string Options::*>
      member;
  const char* takes;  // For error messages.
  // The range of a number.
  double lowest = 0;
  double highest = 0;
  // The words that a text may be, between bars. Empty: any text.
  std::string_view words = "";
};

constexpr char kBits[] = "a number from 0 to 100";
constexpr char kFilters[] = "cassandra, bloom or ribbon";
constexpr char kFilterWords[] = "||cassandra|bloom|ribbon|";

// In the order in which FormatOptions writes them.
constexpr Option kOptions[] = {
    {kBitsPerKey, &Options::bits_per_key, kBits, 0, kMaxBitsPerKey},
    {kFpChance, &Options::fp_chance, "a number from 0.0000671 to 1",
     kMinFpChance, 1},
    {kMix, &Options::mix, "a number from 1 to 100", 1, kMaxBitsPerKey},
    {kLevelBits, &Options::level_bits, kBits, 0, kMaxBitsPerKey},
    {"bottommost_bits", &Options::bottommost_bits, kBits, 0, kMaxBitsPerKey},
    {"filter", &Options::filter, kFilters, 0, 0, kFilterWords},
    {"bottommost_filter", &Options::bottommost_filter, kFilters, 0, 0,
     kFilterWords},
    {"blocks", &Options::blocks, "cassandra or rocksdb", 0, 0,
     "|cassandra|rocksdb|"},
    // PartitionKeyExtractor checks this one.
    {kPartitionKey, &Options::partition_key,
     "a part of a key, such as skip:8,u16"},
};

const Option* Find(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOptions), std::end(kOptions),
                   [&](const Option& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

// A policy has one size, so it has only one of these options.
bool IsSize(std::string_view name) {
  return name == kBitsPerKey || name == kFpChance || name == kMix ||
         name == kLevelBits;
}

bool GoesWithMix(std::string_view name) {
  return name == kMix || name == "filter" || name == "bottommost_filter";
}

// ---- Values ----

std::string WrongValue(const Option& option, const std::string& value) {
  return std::string(option.name) + " '" + value + "' is not " + option.takes;
}

// Reads numbers with commas between them. Returns none if one is malformed.
// Ignores the locale.
std::vector<double> ParseNumbers(const std::string& text) {
  std::vector<double> numbers;
  const char* begin = text.data();
  const char* const end = begin + text.size();
  for (;;) {
    double number = 0;
    const auto [parsed_to, failure] = std::from_chars(begin, end, number);
    if (failure != std::errc() || !std::isfinite(number) ||
        (parsed_to != end && *parsed_to != ',')) {
      return {};
    }
    numbers.push_back(number);
    if (parsed_to == end) {
      return numbers;
    }
    begin = parsed_to + 1;
  }
}

// Set a member from a text. Return false if the text is not of its type.
bool Set(const std::string& text, std::string* member) {
  *member = text;
  return !text.empty();
}
bool Set(const std::string& text, std::vector<double>* member) {
  *member = ParseNumbers(text);
  return !member->empty();
}
template <typename Number>
bool Set(const std::string& text, Number* member) {
  const std::vector<double> numbers = ParseNumbers(text);
  if (numbers.size() == 1) {
    *member = numbers.front();
  }
  return numbers.size() == 1;
}

// Return the numbers of a member. A text has none.
std::vector<double> Numbers(const std::string& /*member*/) { return {}; }
std::vector<double> Numbers(const std::vector<double>& member) {
  return member;
}
std::vector<double> Numbers(double member) { return {member}; }
std::vector<double> Numbers(const std::optional<double>& member) {
  return member ? Numbers(*member) : std::vector<double>();
}

bool SetValue(const Option& option, const std::string& text, Options* options) {
  return std::visit([&](auto member) { return Set(text, &(options->*member)); },
                    option.member);
}

std::vector<double> NumbersOf(const Option& option, const Options& options) {
  return std::visit([&](auto member) { return Numbers(options.*member); },
                    option.member);
}

std::string TextOf(const Option& option, const Options& options) {
  const auto* const word = std::get_if<std::string Options::*>(&option.member);
  std::string text = word == nullptr ? "" : options.**word;
  for (const double number : NumbersOf(option, options)) {
    text += (text.empty() ? "" : ",") + FormatNumber(number);
  }
  return text;
}

// In a string, bits per key that build no filter may only be 0. Another such
// number probably is a chance.
std::string WrongBitsInString(const Options& options) {
  const double bits = options.bits_per_key;
  const std::string number = FormatNumber(bits);
  if (bits > 0 && bits < 0.5) {
    return "bits_per_key '" + number +
           "' would build no filter; for a false positive chance write "
           "cassandra_bloom:fp:" +
           FormatNumber(std::max(bits, kMinFpChance)) +
           ", and for no filter cassandra_bloom:0";
  }
  return bits >= 0 && bits <= kMaxBitsPerKey ? ""
                                             : WrongValue(kOptions[0], number);
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
           "': there is no allocation any more; write cassandra_bloom:mix:BITS,"
           " which gives small levels more bits per key than the last one";
  }
  std::string known;
  for (const Option& option : kOptions) {
    known += (known.empty() ? "" : ", ") + std::string(option.name);
  }
  return "unknown option '" + written + "'; the options are " + known;
}

std::string NotBesideMix(std::string_view option) {
  return "mix goes with filter and bottommost_filter, not with " +
         std::string(option);
}

// Sets `*options` to what is given. Returns what is wrong, or "". `all` is the
// text of all that is given.
std::string SetAll(const Given& given, const OptionTexts& beside,
                   const std::string& all, Options* options) {
  OptionTexts set_by;  // From a setting to the option that sets it.
  for (const auto& [name, value] : given) {
    const Option* const option = Find(name);
    if (option == nullptr) {
      return UnknownOption(name,
                           beside.count(name) > 0 ? name + "=" + value : name);
    }
    const auto [earlier, is_first] =
        set_by.emplace(IsSize(name) ? "the size" : name, name);
    if (!is_first) {
      return "'" + all + "': " +
             (earlier->second == name
                  ? name + " is given twice"
                  : earlier->second + " and " + name +
                        " both set the size: leave one of them out");
    }
    if (!SetValue(*option, value, options)) {
      return WrongValue(*option, value);
    }
  }
  for (const auto& [name, value] : given) {
    if (options->mix && !GoesWithMix(name)) {
      return "'" + all + "': " + NotBesideMix(name);
    }
  }
  return WrongBitsInString(*options);
}

}  // namespace

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
  *error = SetAll(given, beside, all, &options);
  return error->empty() ? std::optional(options) : std::nullopt;
}

std::string WrongOption(const Options& options) {
  const Options defaults;
  for (const Option& option : kOptions) {
    if (option.name == kBitsPerKey) {
      continue;  // NewCassandraBloomPolicy takes any number.
    }
    for (const double number : NumbersOf(option, options)) {
      if (!(number >= option.lowest && number <= option.highest)) {
        return WrongValue(option, FormatNumber(number));
      }
    }
    const std::string text = TextOf(option, options);
    if (!option.words.empty() &&
        (text.find('|') != std::string::npos ||
         option.words.find("|" + text + "|") == std::string_view::npos)) {
      return WrongValue(option, text);
    }
    if (options.mix && !GoesWithMix(option.name) &&
        text != TextOf(option, defaults)) {
      return NotBesideMix(option.name);
    }
  }
  return "";
}

std::string FormatOptions(const Options& options) {
  const Options defaults;
  std::string text = kPolicyName;
  if (options.mix) {
    text += ":mix:" + FormatNumber(*options.mix);
  } else if (options.fp_chance) {
    text += ":fp:" + FormatNumber(*options.fp_chance);
  } else if (options.level_bits.empty()) {
    text += ":" + FormatNumber(options.bits_per_key);
  }
  for (const Option& option : kOptions) {
    const bool is_in_front = IsSize(option.name) && option.name != kLevelBits;
    const std::string value = TextOf(option, options);
    if (!is_in_front && value != TextOf(option, defaults)) {
      text += ":" + std::string(option.name) + ":" + value;
    }
  }
  return text;
}

std::string ProbablyMeant(const std::string& text) {
  std::string meant;
  for (const char c : text) {
    meant +=
        c == '='
            ? ':'
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  // RocksDB's own policies end in ":false", as in bloomfilter:10:false.
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {"cassandra-bloom", kPolicyName},
      {":fp_chance:", ":fp:"},
      {":bits_per_key:", ":"},
      {":bits:", ":"},
      {":false", ""},
      {":true", ""}};
  for (const auto& [wrong, right] : kReplacements) {
    const size_t at = meant.find(wrong);
    if (at != std::string::npos) {
      meant.replace(at, wrong.size(), right);
    }
  }
  return meant;
}

}  // namespace cassandra_bloom
