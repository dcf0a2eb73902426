// SPDX-License-Identifier: Apache-2.0

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

#include <string>
#include <unordered_map>

#include "plugin/policy/policy_settings.h"

namespace ROCKSDB_NAMESPACE {
struct CassandraBloomOptions;
}  // namespace ROCKSDB_NAMESPACE

namespace cassandra_bloom {

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
