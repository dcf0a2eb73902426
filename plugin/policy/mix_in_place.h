// SPDX-License-Identifier: Apache-2.0

// `mix` for a program that asks for RocksDB's own Bloom filter.
// plugin/preload/replace.cc calls this.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_MIX_IN_PLACE_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_MIX_IN_PLACE_H_

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom {

// Returns a policy that builds the filters of `mix` with `bits_per_key`, and
// has the names and the id of `rocksdbs`, RocksDB's own policy. What RocksDB
// stores is then what it stores without us: its own filters under its own name,
// and the same OPTIONS file. Nothing has to be undone.
//
// Takes `rocksdbs`, and returns it unchanged if `mix` cannot take its place:
// if `bits_per_key` is below 0.5, which is "no filter" for RocksDB.
CASSANDRA_BLOOM_EXPORT const ROCKSDB_NAMESPACE::FilterPolicy* NewMixInPlaceOf(
    const ROCKSDB_NAMESPACE::FilterPolicy* rocksdbs, double bits_per_key);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_MIX_IN_PLACE_H_
