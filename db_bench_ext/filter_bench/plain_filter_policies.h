// SPDX-License-Identifier: Apache-2.0

// Filters for comparison: one that does nothing, and a plain implementation of
// Cassandra's.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_

#include <rocksdb/filter_policy.h>

namespace cassandra_bloom::bench {

// A filter policy that does nothing: the time that it takes is the benchmark's
// own. Its filters match every key. The caller owns the policy.
const ROCKSDB_NAMESPACE::FilterPolicy* NewEmptyFilterPolicy();

// Cassandra's filter, implemented like its Java code: the baseline for
// cassandra_bloom's speed.
//
// Its blocks equal those of NewCassandraBloomPolicy(bits_per_key), byte for
// byte. `bits_per_key` must be at least 1. The caller owns the policy.
//
// A key is hashed once. A query takes one division per probe and ends at the
// first bit that is not set. A batch is queried key by key. The builder keeps
// the hashes in a std::vector and sets the bits at the end. This filter shares
// the sizes with cassandra_bloom, but neither the hash nor the positions.
const ROCKSDB_NAMESPACE::FilterPolicy* NewNaiveFilterPolicy(
    double bits_per_key);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
