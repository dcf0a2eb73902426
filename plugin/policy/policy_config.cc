// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_config.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_options.h"

namespace cassandra_bloom {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

constexpr size_t kNameLength = sizeof(kPolicyName) - 1;
constexpr char kUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key) or "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1), with "
    "or without :OPTION:VALUE behind it, of which partition_key is the last";

// Can RocksDB's options parser bring it back?
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

// An option in an id.
struct Found {
  const char* name;
  size_t begin;  // Of the colon before the name; the end, if there is none.
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

// False if it is not our name, alone or with something behind a colon.
bool IsOurName(const std::string& id) {
  return id.compare(0, kNameLength, kPolicyName) == 0 &&
         (id.size() == kNameLength || id[kNameLength] == ':');
}

void SplitSizing(const std::string& sizing, GivenOptions* given) {
  constexpr size_t kPrefixLength = sizeof(kFpChancePrefix) - 1;
  if (sizing.compare(0, kPrefixLength, kFpChancePrefix) == 0) {
    (*given)[kFpChanceOption] = sizing.substr(kPrefixLength);
  } else {
    (*given)[kBitsPerKeyOption] = sizing;
  }
}

// False if an option is given twice.
bool SplitId(const std::string& id, GivenOptions* given) {
  Found option = FindOption(id, kNameLength);
  if (option.begin > kNameLength) {
    SplitSizing(id.substr(kNameLength + 1, option.begin - kNameLength - 1),
                given);
  }
  while (option.name != nullptr) {
    const Found next = std::strcmp(option.name, kPartitionKeyOption) == 0
                           ? Found{nullptr, id.size(), id.size()}
                           : FindOption(id, option.value);
    if (!given
             ->emplace(option.name,
                       id.substr(option.value, next.begin - option.value))
             .second) {
      return false;
    }
    option = next;
  }
  return true;
}

PolicySettings SaidTwice(const std::string& what) {
  return WrongSettings("'" + what + "' says one thing twice; " + kUsage);
}

PolicySettings SettingsOfId(const std::string& id) {
  GivenOptions given;
  if (!IsOurName(id)) {
    return WrongSettings("'" + id + "' is not a filter policy; " + kUsage);
  }
  return SplitId(id, &given) && !ContradictEachOther(given) ? SettingsOf(given)
                                                            : SaidTwice(id);
}

std::string Joined(const std::vector<double>& numbers) {
  std::string list;
  for (const double number : numbers) {
    list += (list.empty() ? "" : ",") + FormatNumber(number);
  }
  return list;
}

// By the rules of the public header, where no number of bits is wrong.
std::string EffectiveBitsPerKey(double bits_per_key) {
  const std::optional<Sizing> sizing = SizingForBitsPerKey(bits_per_key);
  return FormatNumber(sizing ? sizing->bits_per_key() : 0);
}

GivenOptions GivenIn(const CassandraBloomOptions& options) {
  GivenOptions given = {{kPartitionKeyOption, options.partition_key},
                        {kAllocationOption, options.allocation}};
  if (options.fp_chance != 0) {
    given[kFpChanceOption] = FormatNumber(options.fp_chance);
  }
  if (!options.level_bits.empty()) {
    given[kLevelBitsOption] = Joined(options.level_bits);
  }
  if (!options.level_fp_chance.empty()) {
    given[kLevelFpChanceOption] = Joined(options.level_fp_chance);
  }
  if (options.bottommost_bits) {
    given[kBottommostBitsOption] = FormatNumber(*options.bottommost_bits);
  }
  if (options.bottommost_fp_chance) {
    given[kBottommostFpChanceOption] =
        FormatNumber(*options.bottommost_fp_chance);
  }
  if (options.size_ratio) {
    given[kSizeRatioOption] = FormatNumber(*options.size_ratio);
  }
  if (options.bottom_level) {
    given[kBottomLevelOption] = std::to_string(*options.bottom_level);
  }
  const bool has_size = given.count(kFpChanceOption) > 0 ||
                        given.count(kLevelBitsOption) > 0 ||
                        given.count(kLevelFpChanceOption) > 0;
  if (!has_size) {
    given[kBitsPerKeyOption] = EffectiveBitsPerKey(options.bits_per_key);
  }
  return given;
}

}  // namespace

PolicySettings SettingsForBitsPerKey(double bits_per_key) {
  return SettingsOf({{kBitsPerKeyOption, EffectiveBitsPerKey(bits_per_key)}});
}

PolicySettings SettingsForFpChance(double fp_chance) {
  return SettingsOf({{kFpChanceOption, FormatNumber(fp_chance)}});
}

PolicySettings SettingsForOptions(const CassandraBloomOptions& options) {
  const GivenOptions given = GivenIn(options);
  if (!ContradictEachOther(given)) {
    return SettingsOf(given);
  }
  std::string all;
  for (const auto& [name, value] : given) {
    all += (all.empty() ? "" : ";") + name + "=" + value;
  }
  return SaidTwice(all);
}

PolicySettings ParseSettings(
    const std::string& id,
    const std::unordered_map<std::string, std::string>& options) {
  PolicySettings settings = SettingsOfId(id);
  if (options.empty() && !settings.error.empty() && IsPlain(id)) {
    settings.id = id;  // To be refused for the same reason again.
  }
  if (options.empty() || !settings.error.empty()) {
    return settings;
  }
  GivenOptions given;
  bool twice = !SplitId(id, &given);
  std::string all = id;
  for (const auto& [name, value] : options) {
    if (!IsPolicyOption(name)) {
      std::string known;
      for (const char* const option : kOptionsInId) {
        known += std::string(", ") + option;
      }
      return WrongSettings("unknown option '" + name + "=" + value +
                           "'; there are bits_per_key and fp_chance, of which "
                           "one can be given (0 to 100, or 0.0000671 to 1)" +
                           known);
    }
    twice |= !given.emplace(name, value).second;
    all += ";" + name + "=" + value;
  }
  return twice || ContradictEachOther(given) ? SaidTwice(all)
                                             : SettingsOf(given);
}

}  // namespace cassandra_bloom
