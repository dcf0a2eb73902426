// SPDX-License-Identifier: Apache-2.0

// Policies that take the place of RocksDB's own Bloom policy in a program that
// asks for that one. plugin/preload/replace.cc finds these functions by their
// names.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_IN_PLACE_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_IN_PLACE_H_

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom {

// Both functions take `rocksdbs`, RocksDB's own policy. They return it
// unchanged if theirs cannot take its place.

// Returns the policy of NewCassandraBloomPolicyBesideRocksdb.
CASSANDRA_BLOOM_EXPORT const ROCKSDB_NAMESPACE::FilterPolicy* NewOursInPlaceOf(
    const ROCKSDB_NAMESPACE::FilterPolicy* rocksdbs, double bits_per_key);

// Returns a policy that builds the filters of `mix`, and has the names and the
// id of `rocksdbs`. What RocksDB stores is then what it stores without us: its
// own filters under its own name, and the same OPTIONS file. Nothing has to be
// undone. Returns `rocksdbs` if `bits_per_key` is below 0.5, which is "no
// filter" for RocksDB.
CASSANDRA_BLOOM_EXPORT const ROCKSDB_NAMESPACE::FilterPolicy* NewMixInPlaceOf(
    const ROCKSDB_NAMESPACE::FilterPolicy* rocksdbs, double bits_per_key);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_IN_PLACE_H_
