// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

constexpr size_t kNameLength = sizeof(kPolicyName) - 1;

// Whether RocksDB's options parser reads the id back unchanged.
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

// Whether `id` is our name, alone or followed by a colon.
bool HasOurName(const std::string& id) {
  return id.compare(0, kNameLength, kPolicyName) == 0 &&
         (id.size() == kNameLength || id[kNameLength] == ':');
}

// ---- An id ----

// An option that was found in an id, and where.
struct Found {
  const char* name;
  size_t begin;  // The colon before the name; the id's end if there is none.
  size_t value;
};

Found FindOption(const std::string& id, size_t from) {
  Found first = {nullptr, id.size(), id.size()};
  for (const char* const name : kOptionsInId) {
    const std::string text = std::string(":") + name + ":";
    const size_t begin = id.find(text, from);
    if (begin < first.begin) {
      first = {name, begin, begin + text.size()};
    }
  }
  return first;
}

// ---- Options by name ----

using Given = std::map<std::string, std::string>;

bool IsPolicyOption(const std::string& name) {
  return name == kBitsPerKeyOption || name == kFpChanceOption ||
         std::find(std::begin(kOptionsInId), std::end(kOptionsInId), name) !=
             std::end(kOptionsInId);
}

bool HasSeveralOf(const Given& given,
                  std::initializer_list<const char*> names) {
  return std::count_if(names.begin(), names.end(), [&](const char* name) {
           return given.count(name) > 0;
         }) > 1;
}

// Whether two of the options set the same thing, such as how many bits per key.
bool ContradictEachOther(const Given& given) {
  return HasSeveralOf(given, {kBitsPerKeyOption, kFpChanceOption,
                              kLevelBitsOption, kLevelFpChanceOption}) ||
         HasSeveralOf(given,
                      {kBottommostBitsOption, kBottommostFpChanceOption});
}

// Makes options from texts. Checks the ranges here, too, so that the message
// can show the text. Besides, bits_per_key out of range is refused only in a
// text, not in CassandraBloomOptions.
struct OptionsParser {
  bool ParseSizes(CassandraBloomOptions* options) const {
    return ParseSize(kBitsPerKeyOption, kBitsRange, &options->bits_per_key) &&
           ParseSize(kFpChanceOption, kChanceRange, &options->fp_chance);
  }

  bool operator()(const char* name, const NumberRange& range,
                  std::vector<double>& list) const {
    const std::string* const text = Find(name);
    for (size_t begin = 0; text != nullptr && begin <= text->size();) {
      const size_t end = std::min(text->find(',', begin), text->size());
      if (!Parse(range, text->substr(begin, end - begin),
                 &list.emplace_back())) {
        *error = std::string(name) + " '" + *text + "': " + *error;
        return false;
      }
      begin = end + 1;
    }
    return true;
  }
  bool operator()(const char* name, const NumberRange& range,
                  std::optional<double>& value) const {
    const std::string* const text = Find(name);
    if (text == nullptr || Parse(range, *text, &value.emplace())) {
      return true;
    }
    if (range.name != std::string(name)) {
      *error = std::string(name) + ": " + *error;
    }
    return false;
  }
  bool operator()(const char* name, const NumberRange& range,
                  std::optional<int>& value) const {
    std::optional<double> number;
    if (!(*this)(name, range, number)) {
      return false;
    }
    if (number && *number == std::floor(*number)) {
      value = static_cast<int>(*number);
    }
    return !number || value ||
           IsInRange(range, /*value=*/NAN, *Find(name), error);
  }
  bool operator()(const char* name, std::string& value) const {
    if (const std::string* const text = Find(name)) {
      value = *text;
    }
    return true;
  }

  bool ParseSize(const char* name, const NumberRange& range,
                 double* value) const {
    const std::string* const text = Find(name);
    return text == nullptr || Parse(range, *text, value);
  }

  // Parses the whole of `text`, in the same way in every locale.
  bool Parse(const NumberRange& range, const std::string& text,
             double* value) const {
    const char* const end = text.data() + text.size();
    const auto [parsed_to, failure] = std::from_chars(text.data(), end, *value);
    const bool is_number = failure == std::errc() && parsed_to == end;
    return IsInRange(range, is_number ? *value : NAN, text, error);
  }

  const std::string* Find(const char* name) const {
    const auto found = given.find(name);
    return found == given.end() ? nullptr : &found->second;
  }

  const Given& given;
  std::string* error;
};

PolicySettings SettingsFor(const Given& given, const std::string& text,
                           bool says_one_thing_twice) {
  if (says_one_thing_twice || ContradictEachOther(given)) {
    return SaysOneThingTwice(text);
  }
  CassandraBloomOptions options;
  std::string error;
  const OptionsParser parser{given, &error};
  return parser.ParseSizes(&options) && VisitOptions(options, parser)
             ? SettingsOf(options)
             : RefusedSettings(error);
}

PolicySettings UnknownOption(const std::string& option) {
  std::string known;
  for (const char* const name : kOptionsInId) {
    known += std::string(", ") + name;
  }
  return RefusedSettings("unknown option '" + option +
                         "'; the options are bits_per_key (0 to 100) or "
                         "fp_chance (0.0000671 to 1)" +
                         known);
}

}  // namespace

PolicyString::PolicyString(const std::string& id)
    : id_(id), is_ours_(HasOurName(id)) {
  if (is_ours_) {
    Split();
  }
}

void PolicyString::Split() {
  Found option = FindOption(id_, kNameLength);
  if (option.begin > kNameLength) {
    SplitSize(id_.substr(kNameLength + 1, option.begin - kNameLength - 1));
  }
  while (option.name != nullptr) {
    const Found next = std::strcmp(option.name, kPartitionKeyOption) == 0
                           ? Found{nullptr, id_.size(), id_.size()}
                           : FindOption(id_, option.value);
    Give(option.name, id_.substr(option.value, next.begin - option.value));
    option = next;
  }
}

void PolicyString::SplitSize(const std::string& size) {
  constexpr size_t kPrefixLength = sizeof(kFpChancePrefix) - 1;
  if (size.compare(0, kPrefixLength, kFpChancePrefix) == 0) {
    Give(kFpChanceOption, size.substr(kPrefixLength));
  } else {
    Give(kBitsPerKeyOption, size);
  }
}

void PolicyString::Give(const std::string& name, const std::string& value) {
  says_one_thing_twice_ |= !given_.emplace(name, value).second;
}

PolicySettings PolicyString::Check() const {
  if (!is_ours_) {
    return RefusedSettings("'" + id_ + "' is not a filter policy; " +
                           kPolicyUsage);
  }
  PolicySettings settings = SettingsFor(given_, id_, says_one_thing_twice_);
  if (given_.empty()) {
    // RocksDB's C interface wraps a policy, and the wrapper's id is the
    // policy's name. RocksDB writes it into the OPTIONS file and compares it
    // with the id of the policy that it reads back. If they differ, 7.8 does
    // not store its options, and in 9.10 DB::Open fails.
    settings.id = kPolicyName;
  }
  return settings;
}

PolicySettings PolicyString::Settings() const {
  PolicySettings settings = Check();
  if (!settings.error.empty() && IsPlain(id_)) {
    settings.id = id_;  // This id is refused again.
  }
  return settings;
}

PolicySettings PolicyString::SettingsWith(
    const std::unordered_map<std::string, std::string>& options) const {
  const PolicySettings settings = Check();
  if (!settings.error.empty()) {
    return settings;
  }
  PolicyString both = *this;
  for (const auto& [name, value] : options) {
    if (!IsPolicyOption(name)) {
      return UnknownOption(name + "=" + value);
    }
    both.Give(name, value);
    both.id_ += ";" + name + "=" + value;
  }
  return both.Check();
}

}  // namespace cassandra_bloom
