// SPDX-License-Identifier: Apache-2.0

// Two filter policies for comparison: one that does nothing, and a plain
// implementation of Cassandra's filter.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_

#include <rocksdb/filter_policy.h>

namespace cassandra_bloom::bench {

// Returns a policy whose filters do nothing and match every key. The time that
// is measured with this policy is the time of the benchmark itself. The caller
// owns the policy.
const ROCKSDB_NAMESPACE::FilterPolicy* NewEmptyFilterPolicy();

// Returns a policy that implements Cassandra's filter plainly, as Cassandra's
// Java code does. cassandra_bloom's speed is compared with it. Its blocks equal
// those of NewCassandraBloomPolicy(bits_per_key), byte for byte. `bits_per_key`
// must be at least 1. The caller owns the policy.
const ROCKSDB_NAMESPACE::FilterPolicy* NewNaiveFilterPolicy(
    double bits_per_key);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
