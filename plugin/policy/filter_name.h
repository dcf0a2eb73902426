// SPDX-License-Identifier: Apache-2.0

// The names of the policy and of its filters. They are frozen:
// docs/stability.md.
//
// Tested in tests/policy/new_policy_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_

#include <optional>
#include <string>

#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

// The name of the policy in options strings, and of its filters of whole keys
// in SST files. Frozen: RocksDB does not use a filter that has another name.
constexpr char kPolicyName[] = "cassandra_bloom";

// The name in SST files of the filters of all of RocksDB's own policies
// (BuiltinFilterPolicy::kCompatibilityName in table/block_based/
// filter_policy_internal.h), and of our policy with blocks=rocksdb.
constexpr char kRocksdbsFilterName[] = "rocksdb.BuiltinBloomFilter";

// The name in SST files of filters of these partition keys; also frozen. No two
// extractors have the same name, because a filter must only be asked for what
// its extractor has put into it.
std::string FilterNameFor(PartitionKeyExtractor partition_key);

// The partition keys in filters of this name in SST files. Returns nullopt if
// this library writes no filters of this name.
std::optional<PartitionKeyExtractor> PartitionKeyOfFilterName(
    const std::string& name);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_NAME_H_
