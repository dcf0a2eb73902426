// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <vector>

namespace cassandra_bloom {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// Sets `*value` to NaN if the text is not a number. Ignores the locale.
void Parse(const std::string& text, double* value) {
  const char* const end = text.data() + text.size();
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, *value);
  if (failure != std::errc() || parsed_to != end) {
    *value = NAN;
  }
}

void Parse(const std::string& text, std::vector<double>* list) {
  for (const std::string& item : SplitList(text)) {
    Parse(item, &list->emplace_back());
  }
}

void Parse(const std::string& text, std::optional<double>* value) {
  Parse(text, &value->emplace());
}

void Parse(const std::string& text, std::optional<int>* value) {
  double number = 0;
  Parse(text, &number);
  constexpr double kMost = 1e9;
  *value = number == std::floor(number) && std::abs(number) < kMost
               ? static_cast<int>(number)
               : 0;
}

void Parse(const std::string& text, std::string* value) { *value = text; }

std::string Format(double value) { return FormatNumber(value); }

std::string Format(const std::vector<double>& list) {
  std::string text;
  for (const double number : list) {
    text += (text.empty() ? "" : ",") + FormatNumber(number);
  }
  return text;
}

template <typename Number>
std::string Format(const std::optional<Number>& value) {
  return value ? FormatNumber(*value) : "";
}

std::string Format(const std::string& text) { return text; }

std::vector<double> NumbersOf(double value) { return {value}; }
std::vector<double> NumbersOf(const std::vector<double>& list) { return list; }
template <typename Number>
std::vector<double> NumbersOf(const std::optional<Number>& value) {
  return value ? std::vector<double>{static_cast<double>(*value)}
               : std::vector<double>();
}
std::vector<double> NumbersOf(const std::string& /*text*/) { return {}; }

bool IsIn(const NumberRange& range, double value) {
  return value >= range.lowest && value <= range.highest;
}

}  // namespace

CassandraBloomOptions ParseOptions(const OptionTexts& texts) {
  CassandraBloomOptions options;
  VisitOptions([&](const char* name, const NumberRange&, auto member) {
    const auto text = texts.find(name);
    if (text != texts.end()) {
      Parse(text->second, &(options.*member));
    }
    return true;
  });
  return options;
}

OptionTexts FormatOptions(const CassandraBloomOptions& options) {
  const CassandraBloomOptions defaults;
  OptionTexts texts;
  VisitOptions([&](const char* name, const NumberRange&, auto member) {
    if (options.*member != defaults.*member) {
      texts.emplace(name, Format(options.*member));
    }
    return true;
  });
  return texts;
}

bool AreInRange(const CassandraBloomOptions& options, const OptionTexts& given,
                std::string* error) {
  return VisitOptions([&](const char* name, const NumberRange& range,
                          auto member) {
    const auto found = given.find(name);
    if (found == given.end() &&
        (name == std::string(kBitsPerKeyOption) ||
         (name == std::string(kFpChanceOption) && options.fp_chance == 0))) {
      return true;
    }
    const std::string text =
        found == given.end() ? Format(options.*member) : found->second;
    const std::vector<double> numbers = NumbersOf(options.*member);
    const auto wrong =
        std::find_if(numbers.begin(), numbers.end(),
                     [&](double number) { return !IsIn(range, number); });
    if (wrong == numbers.end()) {
      return true;
    }
    const std::string item =
        SplitList(text)[static_cast<size_t>(wrong - numbers.begin())];
    *error = std::string(name) + " '" + text + "'" +
             (numbers.size() == 1 ? "" : ": '" + item + "'") + " is not " +
             range.what_is_right;
    return false;
  });
}

std::string FormatNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace cassandra_bloom
