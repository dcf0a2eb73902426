#include "plugin/rocksdb/policy_settings.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <system_error>

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom {
namespace {

constexpr double kDefaultBitsPerKey = 10;
constexpr char kFpChancePrefix[] = "fp:";
// What is stored for a wrong setting that cannot be stored as it is.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";
constexpr char kBitsPerKeyOption[] = "bits_per_key";
constexpr char kFpChanceOption[] = "fp_chance";
constexpr char kPartitionKeyOption[] = "partition_key";
constexpr char kInId[] = ":partition_key:";
constexpr char kInFilterName[] = ".partition_key.";
constexpr char kUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key) or "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1), with "
    "or without :partition_key:EXTRACTOR behind it";

// What a string says, by the names of the options.
using Given = std::map<std::string, std::string>;

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

// The shortest text that ParseNumber reads as this number.
std::string FormatNumber(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

PolicySettings Wrong(const std::string& error) {
  return {
      kRefusedId, std::nullopt, {}, std::string(kPolicyName) + ": " + error};
}

// Can RocksDB's options parser bring it back?
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

PolicySettings WrongBitsPerKey(const std::string& text) {
  return Wrong("bits per key '" + text + "' is not a number from 0 to 100");
}

bool IsFpChance(double value) { return value >= kMinFpChance && value <= 1; }

PolicySettings WrongFpChance(const std::string& text) {
  return Wrong("false positive chance '" + text +
               "' is not a number from 0.0000671 to 1");
}

PolicySettings ParseBitsPerKey(const std::string& text) {
  const std::optional<double> bits = ParseNumber(text);
  if (!bits || !(*bits >= 0 && *bits <= kMaxBitsPerKey)) {
    return WrongBitsPerKey(text);
  }
  return SettingsForBitsPerKey(*bits);
}

PolicySettings ParseFpChance(const std::string& text) {
  const std::optional<double> fp_chance = ParseNumber(text);
  if (!fp_chance || !IsFpChance(*fp_chance)) {
    return WrongFpChance(text);
  }
  return SettingsForFpChance(*fp_chance);
}

PolicySettings ParseSizing(const Given& given) {
  const auto bits_per_key = given.find(kBitsPerKeyOption);
  if (bits_per_key != given.end()) {
    return ParseBitsPerKey(bits_per_key->second);
  }
  const auto fp_chance = given.find(kFpChanceOption);
  return fp_chance != given.end() ? ParseFpChance(fp_chance->second)
                                  : SettingsForBitsPerKey(kDefaultBitsPerKey);
}

PolicySettings AddPartitionKey(const std::string& spelling,
                               PolicySettings settings) {
  std::string error;
  const auto partition_key = PartitionKeyExtractor::Parse(spelling, &error);
  if (!partition_key) {
    return Wrong(error);
  }
  if (settings.error.empty() && !partition_key->is_whole()) {
    settings.partition_key = *partition_key;
    settings.id += kInId + partition_key->spelling();
  }
  return settings;
}

PolicySettings Parse(const Given& given) {
  const PolicySettings settings = ParseSizing(given);
  const auto partition_key = given.find(kPartitionKeyOption);
  return partition_key == given.end()
             ? settings
             : AddPartitionKey(partition_key->second, settings);
}

// False if it is not our name, alone or with something behind a colon.
bool SplitId(const std::string& id, Given* given) {
  constexpr size_t kNameLength = sizeof(kPolicyName) - 1;
  if (id.compare(0, kNameLength, kPolicyName) != 0 ||
      (id.size() > kNameLength && id[kNameLength] != ':')) {
    return false;
  }
  const size_t sizing_end = std::min(id.find(kInId, kNameLength), id.size());
  if (sizing_end < id.size()) {
    (*given)[kPartitionKeyOption] = id.substr(sizing_end + sizeof(kInId) - 1);
  }
  if (sizing_end > kNameLength) {
    const std::string sizing =
        id.substr(kNameLength + 1, sizing_end - kNameLength - 1);
    constexpr size_t kPrefixLength = sizeof(kFpChancePrefix) - 1;
    if (sizing.compare(0, kPrefixLength, kFpChancePrefix) == 0) {
      (*given)[kFpChanceOption] = sizing.substr(kPrefixLength);
    } else {
      (*given)[kBitsPerKeyOption] = sizing;
    }
  }
  return true;
}

PolicySettings ParseId(const std::string& id) {
  Given given;
  return SplitId(id, &given)
             ? Parse(given)
             : Wrong("'" + id + "' is not a filter policy; " + kUsage);
}

bool IsOption(const std::string& name) {
  return name == kBitsPerKeyOption || name == kFpChanceOption ||
         name == kPartitionKeyOption;
}

}  // namespace

std::string FilterNameFor(PartitionKeyExtractor partition_key) {
  return partition_key.is_whole() ? kPolicyName
                                  : std::string(kPolicyName) + kInFilterName +
                                        partition_key.spelling();
}

std::optional<PartitionKeyExtractor> PartitionKeyOfFilterName(
    const std::string& name) {
  if (name == kPolicyName) {
    return PartitionKeyExtractor();
  }
  const std::string before = std::string(kPolicyName) + kInFilterName;
  if (name.compare(0, before.size(), before) != 0) {
    return std::nullopt;
  }
  std::string ignored;
  const auto found =
      PartitionKeyExtractor::Parse(name.substr(before.size()), &ignored);
  // Such as another spelling of the same, which is none of ours.
  return found && FilterNameFor(*found) == name ? found : std::nullopt;
}

PolicySettings SettingsForBitsPerKey(double bits_per_key) {
  const std::optional<Sizing> sizing = SizingForBitsPerKey(bits_per_key);
  const double effective = sizing ? sizing->bits_per_key() : 0;
  return {
      std::string(kPolicyName) + ":" + FormatNumber(effective), sizing, {}, ""};
}

PolicySettings SettingsForFpChance(double fp_chance) {
  if (!IsFpChance(fp_chance)) {
    return WrongFpChance(FormatNumber(fp_chance));
  }
  return {std::string(kPolicyName) + ":" + kFpChancePrefix +
              FormatNumber(fp_chance),
          SizingForFpChance(fp_chance),
          {},
          ""};
}

PolicySettings SettingsForOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options) {
  return AddPartitionKey(options.partition_key,
                         options.fp_chance == 0
                             ? SettingsForBitsPerKey(options.bits_per_key)
                             : SettingsForFpChance(options.fp_chance));
}

PolicySettings ParseSettings(
    const std::string& id,
    const std::unordered_map<std::string, std::string>& options) {
  PolicySettings settings = ParseId(id);
  if (options.empty() && !settings.error.empty() && IsPlain(id)) {
    settings.id = id;  // To be refused for the same reason again.
  }
  if (options.empty() || !settings.error.empty()) {
    return settings;
  }
  Given given;
  SplitId(id, &given);
  std::string all = id;
  bool twice = false;
  for (const auto& [name, value] : options) {
    if (!IsOption(name)) {
      return Wrong("unknown option '" + name + "=" + value +
                   "'; there are bits_per_key and fp_chance, of which one can "
                   "be given (0 to 100, or 0.0000671 to 1), and "
                   "partition_key");
    }
    twice |= !given.emplace(name, value).second;
    all += ";" + name + "=" + value;
  }
  if (twice || (given.count(kBitsPerKeyOption) > 0 &&
                given.count(kFpChanceOption) > 0)) {
    return Wrong("'" + all + "' says one thing twice; " + kUsage);
  }
  return Parse(given);
}

}  // namespace cassandra_bloom
