// SPDX-License-Identifier: Apache-2.0

// The options of the policy, by name: which there are, and what each may be.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_

#include <map>
#include <string>

#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom {

constexpr char kBitsPerKeyOption[] = "bits_per_key";
constexpr char kFpChanceOption[] = "fp_chance";
constexpr char kLevelBitsOption[] = "level_bits";
constexpr char kLevelFpChanceOption[] = "level_fp_chance";
constexpr char kBottommostBitsOption[] = "bottommost_bits";
constexpr char kBottommostFpChanceOption[] = "bottommost_fp_chance";
constexpr char kAllocationOption[] = "allocation";
constexpr char kSizeRatioOption[] = "size_ratio";
constexpr char kBottomLevelOption[] = "bottom_level";
constexpr char kPartitionKeyOption[] = "partition_key";

// In an id, bits per key stand right behind the name, a chance behind this;
constexpr char kFpChancePrefix[] = "fp:";
// and any other option behind them, with a colon before it and one behind it,
// in this order. The last one takes the rest: there are colons in its value.
constexpr const char* kOptionsInId[] = {
    kLevelBitsOption,          kLevelFpChanceOption, kBottommostBitsOption,
    kBottommostFpChanceOption, kAllocationOption,    kSizeRatioOption,
    kBottomLevelOption,        kPartitionKeyOption};

// What somebody gave, by the names of the options.
using GivenOptions = std::map<std::string, std::string>;

bool IsPolicyOption(const std::string& name);

// Are there two that answer the same question, such as how many bits per key?
bool ContradictEachOther(const GivenOptions& given);

// Of options that do not contradict each other.
PolicySettings SettingsOf(const GivenOptions& given);

// Settings that are an error.
PolicySettings WrongSettings(const std::string& error);

// The shortest text that is read as this number again, in any locale.
std::string FormatNumber(double value);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
