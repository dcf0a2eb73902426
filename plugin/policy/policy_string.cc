// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_string.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

constexpr size_t kNameLength = sizeof(kPolicyName) - 1;

// Returns true if RocksDB's options parser reads the id back unchanged.
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

bool HasOurName(const std::string& id) {
  return id.compare(0, kNameLength, kPolicyName) == 0 &&
         (id.size() == kNameLength || id[kNameLength] == ':');
}

const std::vector<std::string>& OptionNames() {
  // Never destroyed, because other threads may parse options until the end.
  static const std::vector<std::string>& names = *[] {
    auto* const all = new std::vector<std::string>;
    VisitOptions([&](const char* name, const NumberRange&, auto) {
      all->emplace_back(name);
      return true;
    });
    return all;
  }();
  return names;
}

// The first two options, bits_per_key and fp_chance, have no name in an id.
constexpr size_t kFirstNameInId = 2;

struct Found {
  std::string name;  // Empty if there is no option.
  size_t begin;      // The colon before the name, or the id's end.
  size_t value;
};

Found FindOption(const std::string& id, size_t from) {
  Found first = {"", id.size(), id.size()};
  const std::vector<std::string>& names = OptionNames();
  for (size_t i = kFirstNameInId; i < names.size(); ++i) {
    const std::string text = ":" + names[i] + ":";
    const size_t begin = id.find(text, from);
    if (begin < first.begin) {
      first = {names[i], begin, begin + text.size()};
    }
  }
  return first;
}

bool IsOption(const std::string& name) {
  const std::vector<std::string>& names = OptionNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

PolicySettings UnknownOption(const std::string& option) {
  std::string known;
  const std::vector<std::string>& names = OptionNames();
  for (size_t i = kFirstNameInId; i < names.size(); ++i) {
    known += ", " + names[i];
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
  while (!option.name.empty()) {
    const Found next = option.name == kPartitionKeyOption
                           ? Found{"", id_.size(), id_.size()}
                           : FindOption(id_, option.value);
    Give(option.name, id_.substr(option.value, next.begin - option.value));
    option = next;
  }
}

void PolicyString::SplitSize(const std::string& size) {
  constexpr size_t kPrefixLength = sizeof(kFpChancePrefix) - 1;
  if (size.compare(0, kPrefixLength, kFpChancePrefix) == 0) {
    Give(kFpChanceOption, size.substr(kPrefixLength));
  } else if (size == kMixOption) {
    Give(kMixOption, "");
  } else {
    Give(kBitsPerKeyOption, size);
  }
}

void PolicyString::Give(const std::string& name, const std::string& value) {
  is_given_twice_ |= !given_.emplace(name, value).second;
}

// Returns the word that stands where the name of an option should be, as
// "block" in "10:block:rocksdb". Returns "" if there is none. Only partition
// keys have colons in their values.
std::string PolicyString::UnknownName() const {
  for (const auto& [name, value] : given_) {
    const size_t colon = value.find(':');
    if (colon == std::string::npos || name == kPartitionKeyOption) {
      continue;
    }
    const size_t begin = colon + 1;
    const std::string word =
        value.substr(begin, value.find(':', begin) - begin);
    const bool is_word = std::all_of(word.begin(), word.end(), [](char c) {
      return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    });
    if (is_word && !word.empty() && !IsOption(word)) {
      return word;
    }
  }
  return "";
}

PolicySettings PolicyString::Check() const {
  if (!is_ours_) {
    return RefusedSettings("'" + id_ + "' is not a filter policy; " +
                           kPolicyUsage);
  }
  if (id_ == kRefusedId) {
    return RefusedSettings(
        "the policy was refused when RocksDB wrote '" + id_ +
        "'; the LOG of that time has the setting and the reason; write the "
        "right policy in its place");
  }
  if (const std::string unknown = UnknownName(); !unknown.empty()) {
    return UnknownOption(unknown);
  }
  PolicySettings settings = is_given_twice_
                                ? RefuseConflict(id_)
                                : CheckOptions(ParseOptions(given_), given_);
  if (given_.empty()) {
    // A policy that is made from the bare name must have the bare name as its
    // id. RocksDB's C interface writes that id into the OPTIONS file, makes a
    // policy from it, and compares the ids of both. If they differed, RocksDB
    // 7.8 would not write the file, and in 9.10 DB::Open would fail.
    settings.id = kPolicyName;
  }
  return settings;
}

PolicySettings PolicyString::Settings() const {
  PolicySettings settings = Check();
  if (!settings.error.empty() && IsPlain(id_)) {
    settings.id = id_;  // A policy with this id is refused again.
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
    if (!IsOption(name)) {
      return UnknownOption(name + "=" + value);
    }
    both.Give(name, value);
    both.id_ += ";" + name + "=" + value;
  }
  return both.Check();
}

}  // namespace cassandra_bloom
