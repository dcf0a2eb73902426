#include "plugin/rocksdb/policy_settings.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

namespace cassandra_bloom {
namespace {

constexpr double kDefaultBitsPerKey = 10;
constexpr char kFpChancePrefix[] = "fp:";
// What is stored for a wrong setting that cannot be stored as it is.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";
constexpr char kBitsPerKeyOption[] = "bits_per_key";
constexpr char kFpChanceOption[] = "fp_chance";
constexpr char kUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key) or "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1)";

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
  return {kRefusedId, std::nullopt, std::string(kPolicyName) + ": " + error};
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

// What stands behind the name and a colon.
PolicySettings ParseArgument(const std::string& argument) {
  if (argument.compare(0, sizeof(kFpChancePrefix) - 1, kFpChancePrefix) == 0) {
    return ParseFpChance(argument.substr(sizeof(kFpChancePrefix) - 1));
  }
  return ParseBitsPerKey(argument);
}

PolicySettings ParseId(const std::string& id) {
  constexpr size_t kNameLength = sizeof(kPolicyName) - 1;
  if (id.compare(0, kNameLength, kPolicyName) != 0 ||
      (id.size() > kNameLength && id[kNameLength] != ':')) {
    return Wrong("'" + id + "' is not a filter policy; " + kUsage);
  }
  if (id.size() == kNameLength) {
    return SettingsForBitsPerKey(kDefaultBitsPerKey);
  }
  return ParseArgument(id.substr(kNameLength + 1));
}

PolicySettings ParseOption(const std::string& name, const std::string& value) {
  if (name == kBitsPerKeyOption) {
    return ParseBitsPerKey(value);
  }
  if (name == kFpChanceOption) {
    return ParseFpChance(value);
  }
  return Wrong("unknown option '" + name + "=" + value +
               "'; there are bits_per_key and fp_chance");
}

}  // namespace

PolicySettings SettingsForBitsPerKey(double bits_per_key) {
  const std::optional<Sizing> sizing = SizingForBitsPerKey(bits_per_key);
  const double effective = sizing ? sizing->bits_per_key() : 0;
  return {std::string(kPolicyName) + ":" + FormatNumber(effective), sizing, ""};
}

PolicySettings SettingsForFpChance(double fp_chance) {
  if (!IsFpChance(fp_chance)) {
    return WrongFpChance(FormatNumber(fp_chance));
  }
  return {std::string(kPolicyName) + ":" + kFpChancePrefix +
              FormatNumber(fp_chance),
          SizingForFpChance(fp_chance), ""};
}

PolicySettings ParseSettings(
    const std::string& id,
    const std::unordered_map<std::string, std::string>& options) {
  PolicySettings settings = ParseId(id);
  if (!settings.error.empty()) {
    if (options.empty() && IsPlain(id)) {
      settings.id = id;  // To be refused for the same reason again.
    }
    return settings;
  }
  if (options.empty()) {
    return settings;
  }
  if (id == kPolicyName && options.size() == 1) {
    return ParseOption(options.begin()->first, options.begin()->second);
  }
  std::string given = id;
  for (const auto& [name, value] : options) {
    given += ";" + name + "=" + value;
  }
  return Wrong("'" + given + "' says more than one thing; " + kUsage);
}

}  // namespace cassandra_bloom
