// SPDX-License-Identifier: Apache-2.0

// Checks the options of the public header and makes the settings of a policy
// from them. The id of the settings is the string that gives the same settings
// again.
//
// Tested in tests/policy/policy_string_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_

#include <string>

#include "plugin/filter/block_form.h"
#include "plugin/lsm/level_sizing.h"
#include "plugin/lsm/partition_key.h"
#include "plugin/policy/policy_options.h"

namespace cassandra_bloom {

// Which filter a file gets.
enum class FilterType { kCassandra, kBloom, kRibbon };

struct PolicySettings {
  // The string that gives these settings again. It is printable ASCII, without
  // the characters that RocksDB's options parser would not read back: blanks
  // and = ; { } # \ ".
  std::string id;

  LevelSizing sizing;

  PartitionKeyExtractor partition_key;  // `whole` with kBesideRocksdb.

  BlockForm block_form = BlockForm::kFilterDb;

  // Whether our filters follow optimize_filters_for_memory. They do not where
  // they must have Cassandra's sizes: with kFilterDb, and where sizes come from
  // false positive chances.
  bool may_fit_memory = false;

  // Others than kCassandra only with kBesideRocksdb. The second is for the
  // files that RocksDB calls bottommost.
  FilterType filter = FilterType::kCassandra;
  FilterType bottommost_filter = FilterType::kCassandra;

  // The filter of a file. Partitioned filters of prefixes alone
  // (partition_filters without whole_key_filtering) are always ours: in a
  // partition in which no key has a prefix, the filter has no entries.
  // RocksDB's builders then return an empty block, for which RocksDB's MultiGet
  // skips every key of the partition, so rows would be missing
  // (PartitionedFilterBlockReader::MayMatch in table/block_based/
  // partitioned_filter_block.cc, 7.8.3). Our builder's block is never empty.
  FilterType TypeFor(bool is_bottommost,
                     bool has_partitions_of_prefixes) const {
    return has_partitions_of_prefixes ? FilterType::kCassandra
           : is_bottommost            ? bottommost_filter
                                      : filter;
  }

  // Whether all files get the average of `sizing.monkey` if a database does not
  // fill its levels from the last one up. Without it, such a database is
  // refused.
  bool is_mix = false;

  // Not empty if a setting is wrong: which one, and what would be right. Then
  // no filter is built (`sizing` has none), filters of whole keys are read, and
  // `id` is one that is refused again.
  std::string error;
};

// `given`: the options as the user wrote them; empty if they do not come from
// text. `options` alone does not tell whether bits_per_key was given, and
// messages show a number as it was written.
PolicySettings CheckOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options,
    const OptionTexts& given = {});

// Unlike in CassandraBloomOptions, a chance of 0 is an error.
PolicySettings SettingsForFpChance(double fp_chance);

// The settings of `mix`. Unlike in CassandraBloomOptions, 0 is an error.
PolicySettings MixSettings(double bits_per_key);

// Settings that are refused with this error.
PolicySettings RefusedSettings(const std::string& error);

// Settings that are refused because `text` sets one thing twice, such as how
// many bits per key.
PolicySettings RefuseConflict(const std::string& text);

// How to spell a policy, for messages.
extern const char kPolicyUsage[];

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
