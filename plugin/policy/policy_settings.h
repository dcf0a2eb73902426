// SPDX-License-Identifier: Apache-2.0

// The settings that a policy follows, made from its options.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plugin/filter/sizing.h"
#include "plugin/lsm/partition_key.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/policy_options.h"

namespace cassandra_bloom {

// The sizing of filters by the place in the database to which an SST file is
// written. If RocksDB later moves the file unchanged to a deeper level, the
// file keeps its filter. A nullopt means that no filter is built.
struct LevelSizing {
  // The sizing for level 0, level 1, and so on. The last element is also for
  // all deeper levels. There is at least one element.
  std::vector<std::optional<Sizing>> levels = {std::nullopt};

  // If true, bottommost files and files whose level is unknown get `bottommost`
  // instead of an element of `levels`.
  bool has_bottommost = false;
  std::optional<Sizing> bottommost;

  // Returns the sizing for a file. `level` is negative if it is unknown, as in
  // SstFileWriter. Such a file gets the sizing for the last level, because bulk
  // loads end there. `is_bottommost` is true if no deeper level has keys in the
  // key range of the file.
  std::optional<Sizing> For(int level, bool is_bottommost) const {
    if (has_bottommost && (is_bottommost || level < 0)) {
      return bottommost;
    }
    const size_t last = levels.size() - 1;
    return levels[level < 0 ? last
                            : std::min(last, static_cast<size_t>(level))];
  }
};

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

  // Types other than kCassandra need kBesideRocksdb. `bottommost_filter` is for
  // bottommost files. All other files get `filter`, or in universal compaction
  // `universal_filter`.
  FilterType filter = FilterType::kCassandra;
  FilterType universal_filter = FilterType::kCassandra;
  FilterType bottommost_filter = FilterType::kCassandra;

  // True for mix, which takes two more kinds of files for bottommost ones:
  // those whose level is unknown, because they end in the last level, and all
  // files of FIFO compaction, because nothing rewrites them.
  bool is_mix = false;

  // Empty if all settings are right. Otherwise says which setting is wrong, and
  // what would be right. The policy then builds no filter.
  std::string error;
};

// Checks options, and that they are fit for each other. `text` is the string
// that they were read from, if they were.
PolicySettings CheckOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options,
    const std::string& text = "");

// Returns the settings of a filter_policy string, and of the options that stand
// beside it. If the string alone is wrong, the id of the settings is the string
// itself, so that a policy of this id is refused again. But if RocksDB's
// options parser would change the string, the id is kRefusedId.
PolicySettings SettingsOf(const std::string& text,
                          const OptionTexts& beside = {});

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
