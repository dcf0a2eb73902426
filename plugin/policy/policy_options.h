// SPDX-License-Identifier: Apache-2.0

// The options of a policy: the name, the range and the member of each.
//
// Tested in tests/policy/create_from_string_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_

#include <map>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/sizing.h"
#include "plugin/lsm/level_sizing.h"

namespace cassandra_bloom {

constexpr char kBitsPerKeyOption[] = "bits_per_key";
constexpr char kFpChanceOption[] = "fp_chance";
constexpr char kMixOption[] = "mix";
constexpr char kPartitionKeyOption[] = "partition_key";

// In a filter_policy string, this prefix stands before a false positive chance,
// as in "cassandra_bloom:fp:0.01".
constexpr char kFpChancePrefix[] = "fp:";

// The range of an option's numbers. Error messages show what_is_right.
struct NumberRange {
  const char* what_is_right;
  double lowest;
  double highest;
};

constexpr NumberRange kBitsRange = {"a number from 0 to 100", 0,
                                    kMaxBitsPerKey};
// Monkey's bounds for ten times as many keys in each level. `mix` checks them.
constexpr NumberRange kMixRange = {"a number from 1.533 to 86.15", 0,
                                   kMaxBitsPerKey};
constexpr NumberRange kChanceRange = {"a number from 0.0000671 to 1",
                                      kMinFpChance, 1};
constexpr NumberRange kSizeRatioRange = {"a number from 2 to 1000",
                                         kMinSizeRatio, kMaxSizeRatio};
constexpr NumberRange kBottomLevelRange = {
    "the number of a level from 1 to 100", 1, 100};
constexpr NumberRange kNoNumber = {"", 0, 0};

// Calls `visit(name, range, member)` for each option until a call returns
// false. The order is that of the options in a filter_policy string. Such a
// string has the values of the first two options without their names.
// partition_key must be the last option, because its value contains colons.
template <typename Visit>
bool VisitOptions(Visit&& visit) {
  using Options = ROCKSDB_NAMESPACE::CassandraBloomOptions;
  return visit(kBitsPerKeyOption, kBitsRange, &Options::bits_per_key) &&
         visit(kFpChanceOption, kChanceRange, &Options::fp_chance) &&
         visit("level_bits", kBitsRange, &Options::level_bits) &&
         visit("level_fp_chance", kChanceRange, &Options::level_fp_chance) &&
         visit("bottommost_bits", kBitsRange, &Options::bottommost_bits) &&
         visit("bottommost_fp_chance", kChanceRange,
               &Options::bottommost_fp_chance) &&
         visit("allocation", kNoNumber, &Options::allocation) &&
         visit("size_ratio", kSizeRatioRange, &Options::size_ratio) &&
         visit("bottom_level", kBottomLevelRange, &Options::bottom_level) &&
         visit(kMixOption, kMixRange, &Options::mix) &&
         visit("filter", kNoNumber, &Options::filter) &&
         visit("bottommost_filter", kNoNumber, &Options::bottommost_filter) &&
         visit("blocks", kNoNumber, &Options::blocks) &&
         visit(kPartitionKeyOption, kNoNumber, &Options::partition_key);
}

// The options as a user has written them. Key: the name of the option.
using OptionTexts = std::map<std::string, std::string>;

// Returns the options that these texts give. If an option is a number but its
// text is not, the option becomes NaN, or 0 for bottom_level. AreInRange
// refuses both. `texts` must have only names of options.
ROCKSDB_NAMESPACE::CassandraBloomOptions ParseOptions(const OptionTexts& texts);

// Returns the texts of the options that differ from their defaults.
OptionTexts FormatOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// Returns true if all numbers are in their ranges, otherwise sets `*error`.
// `given` has the numbers as the user wrote them.
//
// bits_per_key is checked only if `given` has it, because a C++ program may set
// bits_per_key to any number. An fp_chance of 0 is checked only if `given` has
// fp_chance. Otherwise 0 means that no chance is given.
bool AreInRange(const ROCKSDB_NAMESPACE::CassandraBloomOptions& options,
                const OptionTexts& given, std::string* error);

// Returns the shortest text that is read back as this number, in any locale.
std::string FormatNumber(double value);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
