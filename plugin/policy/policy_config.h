// What a filter_policy string of ours says, and whether it may.
//
//   cassandra_bloom                  10 bits per key
//   cassandra_bloom:BITS             bits per key, 0 ... 100
//   cassandra_bloom:fp:CHANCE        Cassandra's bloom_filter_fp_chance
//
// and, behind any of them, further options (policy_options.h), of which the
// first two stand instead of BITS and CHANCE:
//
//   :level_bits:LIST :level_fp_chance:LIST
//   :bottommost_bits:BITS :bottommost_fp_chance:CHANCE
//   :allocation:monkey :size_ratio:NUMBER :bottom_level:LEVEL
//   :partition_key:EXTRACTOR
//
// The same as options beside the name: bits_per_key=BITS, fp_chance=CHANCE,
// level_bits=LIST and so on. Nothing is said twice.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_CONFIG_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_CONFIG_H_

#include <rocksdb/rocksdb_namespace.h>

#include <optional>
#include <string>
#include <unordered_map>

#include "plugin/lsm/level_sizing.h"
#include "plugin/lsm/partition_key.h"

namespace ROCKSDB_NAMESPACE {
struct CassandraBloomOptions;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

// The name of the policy in options strings, and of its filters of whole keys
// in SST files. Frozen: a filter of another name is not seen.
constexpr char kPolicyName[] = "cassandra_bloom";

// The name in SST files of filters of these partition keys, frozen, too. No two
// extractors have the same one: a filter that was built by another would be
// asked for what is not in it.
std::string FilterNameFor(PartitionKeyExtractor partition_key);

// None if filters of this name in SST files are not ours.
std::optional<PartitionKeyExtractor> PartitionKeyOfFilterName(
    const std::string& name);

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

// By NewCassandraBloomPolicy's rules, where nothing is an error.
PolicySettings SettingsForBitsPerKey(double bits_per_key);

PolicySettings SettingsForFpChance(double fp_chance);

PolicySettings SettingsForOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// `id` as RocksDB hands it over, and the options beside it, if there are any.
PolicySettings ParseSettings(
    const std::string& id,
    const std::unordered_map<std::string, std::string>& options);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_CONFIG_H_
