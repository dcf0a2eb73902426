// What a filter_policy string of ours says, and whether it may.
//
//   cassandra_bloom                  10 bits per key
//   cassandra_bloom:BITS             bits per key, 0 ... 100
//   cassandra_bloom:fp:CHANCE        Cassandra's bloom_filter_fp_chance
//
// and the same as options beside the bare name: bits_per_key=BITS or
// fp_chance=CHANCE.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_POLICY_SETTINGS_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_POLICY_SETTINGS_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "plugin/core/sizing.h"

namespace cassandra_bloom {

// The name of the policy in options strings, and of its filters in SST files.
// Frozen: a filter of another name is not seen.
constexpr char kPolicyName[] = "cassandra_bloom";

struct PolicySettings {
  // The string that gives these settings again. It never holds one of = ; { }
  // and #, which RocksDB's options parser would not bring back.
  std::string id;

  std::optional<Sizing> sizing;  // None: no filter is built.

  // Not empty: a wrong setting, what it is and what would be right. Then no
  // filter is built, and `id` is one that is refused again.
  std::string error;
};

// By NewCassandraBloomPolicy's rules, where nothing is an error.
PolicySettings SettingsForBitsPerKey(double bits_per_key);

PolicySettings SettingsForFpChance(double fp_chance);

// `id` as RocksDB hands it over, and the options beside it, if there are any.
PolicySettings ParseSettings(
    const std::string& id,
    const std::unordered_map<std::string, std::string>& options);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_POLICY_SETTINGS_H_
