// SPDX-License-Identifier: Apache-2.0

// The names of the policy and of its filters. They must never change
// (docs/stability.md).
//
// Tested in tests/policy/new_policy_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_

#include <optional>
#include <string>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

// The name of the policy in options strings, and of filters of whole keys in
// SST files. RocksDB does not use a filter that has another name.
constexpr char kPolicyName[] = "cassandra_bloom";

// The name in SST files of filters of RocksDB's own policies, and of our policy
// with blocks=rocksdb. Source: BuiltinFilterPolicy::kCompatibilityName in
// table/block_based/filter_policy_internal.h.
constexpr char kRocksdbsFilterName[] = "rocksdb.BuiltinBloomFilter";

// Returns the name in SST files of filters that hold these partition keys.
// Extractors that find different parts of a key have filters with different
// names. So RocksDB asks a filter only for entries of the extractor that built
// the filter.
std::string FilterNameFor(PartitionKeyExtractor partition_key);

// Returns which partition keys filters of this name hold. Returns nullopt if
// this library writes no filters of this name.
std::optional<PartitionKeyExtractor> PartitionKeyOfFilterName(
    const std::string& name);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_
