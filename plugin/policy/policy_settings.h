// SPDX-License-Identifier: Apache-2.0

// Checks the options of the public header and makes the settings of a policy
// from them. The id of the settings is the string that gives the same settings
// again.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_

#include <rocksdb/rocksdb_namespace.h>

#include <string>

#include "plugin/filter/sizing.h"
#include "plugin/lsm/level_sizing.h"
#include "plugin/lsm/partition_key.h"

namespace ROCKSDB_NAMESPACE {
struct CassandraBloomOptions;
}  // namespace ROCKSDB_NAMESPACE

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

// In an id, bits per key directly follow the policy's name and a colon. A false
// positive chance follows this prefix.
constexpr char kFpChancePrefix[] = "fp:";

// All further options in an id, in this order. Each name has a colon before and
// after it. The last option takes the rest of the id, because its value
// contains colons.
constexpr const char* kOptionsInId[] = {
    kLevelBitsOption,          kLevelFpChanceOption, kBottommostBitsOption,
    kBottommostFpChanceOption, kAllocationOption,    kSizeRatioOption,
    kBottomLevelOption,        kPartitionKeyOption};

// The range of an option's number, with the option's name and a description of
// its valid numbers for error messages.
struct NumberRange {
  const char* name;
  const char* what_is_right;
  double lowest;
  double highest;
};

constexpr NumberRange kBitsRange = {"bits per key", "a number from 0 to 100", 0,
                                    kMaxBitsPerKey};
constexpr NumberRange kChanceRange = {
    "false positive chance", "a number from 0.0000671 to 1", kMinFpChance, 1};
constexpr NumberRange kSizeRatioRange = {
    kSizeRatioOption, "a number from 2 to 1000", kMinSizeRatio, kMaxSizeRatio};
constexpr NumberRange kBottomLevelRange = {
    kBottomLevelOption, "the number of a level from 1 to 100", 1, 100};

// Calls `visit(name, range, member)` for each option with a range and
// `visit(name, member)` for the others, in the order of an id, until a call
// returns false. Leaves out bits_per_key and fp_chance, which come before all
// others in an id.
template <typename Options, typename Visit>
bool VisitOptions(Options& options, Visit&& visit) {
  return visit(kLevelBitsOption, kBitsRange, options.level_bits) &&
         visit(kLevelFpChanceOption, kChanceRange, options.level_fp_chance) &&
         visit(kBottommostBitsOption, kBitsRange, options.bottommost_bits) &&
         visit(kBottommostFpChanceOption, kChanceRange,
               options.bottommost_fp_chance) &&
         visit(kAllocationOption, options.allocation) &&
         visit(kSizeRatioOption, kSizeRatioRange, options.size_ratio) &&
         visit(kBottomLevelOption, kBottomLevelRange, options.bottom_level) &&
         visit(kPartitionKeyOption, options.partition_key);
}

struct PolicySettings {
  // The string that gives these settings again. It holds printable ASCII
  // without blanks and = ; { } # \ ", which RocksDB's options parser would not
  // read back.
  std::string id;

  LevelSizing sizing;

  PartitionKeyExtractor partition_key;

  // Not empty if a setting is wrong: which one, and what would be right. Then
  // no filter is built (`sizing` has none), filters of whole keys are read, and
  // `id` is one that is refused again.
  std::string error;
};

PolicySettings SettingsOf(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// Unlike in CassandraBloomOptions, a chance of 0 is an error.
PolicySettings SettingsForFpChance(double fp_chance);

// Settings that are refused with this error.
PolicySettings RefusedSettings(const std::string& error);

// The error for a text that sets one thing twice, such as how many bits per
// key.
PolicySettings SaysOneThingTwice(const std::string& text);

// How to spell a policy, for messages.
extern const char kPolicyUsage[];

// The shortest text that is read back as this number, in any locale.
std::string FormatNumber(double value);

// False, with an error that shows `text`, if the value is out of range or NaN.
bool IsInRange(const NumberRange& range, double value, const std::string& text,
               std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
