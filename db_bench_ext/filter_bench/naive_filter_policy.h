// SPDX-License-Identifier: Apache-2.0

// Cassandra's filter written down as its Java has it: what the work on
// cassandra_bloom's speed is measured against.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_NAIVE_FILTER_POLICY_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_NAIVE_FILTER_POLICY_H_

#include <rocksdb/filter_policy.h>

namespace cassandra_bloom::bench {

// Its blocks equal those of NewCassandraBloomPolicy(bits_per_key), byte for
// byte. `bits_per_key` from 1. The caller owns it.
//
// A key is hashed once; a query takes one division a probe and ends at the
// first bit that is not set; a batch is its keys one by one. The builder keeps
// the hashes in a std::vector and sets the bits at the end. It shares the sizes
// with cassandra_bloom, but neither the hash nor the positions.
const ROCKSDB_NAMESPACE::FilterPolicy* NewNaiveFilterPolicy(
    double bits_per_key);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_NAIVE_FILTER_POLICY_H_
