// SPDX-License-Identifier: Apache-2.0

// What a policy does, after all options are read and checked.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_

#include <string>

#include "plugin/lsm/level_sizing.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

struct PolicySettings {
  // The string that gives these settings again. It never holds one of = ; { }
  // and #, which RocksDB's options parser would not bring back.
  std::string id;

  LevelSizing sizing;

  PartitionKeyExtractor partition_key;

  // Not empty: a wrong setting, what it is and what would be right. Then no
  // filter is built (`sizing` is that of none), those of whole keys are read,
  // and `id` is one that is refused again.
  std::string error;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_SETTINGS_H_
