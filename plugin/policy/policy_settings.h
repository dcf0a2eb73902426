// SPDX-License-Identifier: Apache-2.0

// The settings that a policy follows, made from its options.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_

#include <string>

#include "plugin/lsm/level_sizing.h"
#include "plugin/lsm/partition_key.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/policy_options.h"

namespace cassandra_bloom {

// kBloom and kRibbon are RocksDB's own filters.
enum class FilterType { kCassandra, kBloom, kRibbon };

struct PolicySettings {
  // The filter_policy string that gives these settings again. It is printable
  // ASCII without the characters that RocksDB's options parser would not read
  // back: blanks and = ; { } # \ ".
  std::string id;

  LevelSizing sizing;

  PartitionKeyExtractor partition_key;  // The whole key if kBesideRocksdb.

  BlockForm block_form = BlockForm::kFilterDb;

  // True if our filters follow RocksDB's option optimize_filters_for_memory.
  // False if they must have exactly Cassandra's sizes: with kFilterDb, or with
  // a false positive chance.
  bool may_fit_memory = false;

  // Types other than kCassandra need kBesideRocksdb. `bottommost_filter` is for
  // files that RocksDB calls bottommost, because no deeper level has keys in
  // their range.
  FilterType filter = FilterType::kCassandra;
  FilterType bottommost_filter = FilterType::kCassandra;

  // Returns the type of a filter. `has_partitions_of_prefixes` is true if the
  // filter is partitioned and holds only prefixes. Such a filter is always
  // kCassandra, because rows could be missing with RocksDB's own filters.
  //
  // RocksDB's builders return an empty block for a partition in which no key
  // has a prefix. RocksDB's MultiGet then skips every key of that partition
  // (PartitionedFilterBlockReader::MayMatch in
  // table/block_based/partitioned_filter_block.cc, 7.8.3).
  FilterType TypeFor(bool is_bottommost,
                     bool has_partitions_of_prefixes) const {
    return has_partitions_of_prefixes ? FilterType::kCassandra
           : is_bottommost            ? bottommost_filter
                                      : filter;
  }

  // Empty if all settings are right. Otherwise says which setting is wrong, and
  // what would be right. The policy then builds no filter.
  std::string error;
};

// Checks options, and that they are fit for each other.
PolicySettings Compile(ROCKSDB_NAMESPACE::CassandraBloomOptions options);

// Returns the settings of a filter_policy string, and of the options that stand
// beside it. If the string alone is wrong, the id of the settings is the string
// itself, so that a policy of this id is refused again. But if RocksDB's
// options parser would change the string, the id is kRefusedId.
PolicySettings SettingsOf(const std::string& text,
                          const OptionTexts& beside = {});

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
