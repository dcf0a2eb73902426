// SPDX-License-Identifier: Apache-2.0

// Filters to compare with: one that does nothing, and Cassandra's written
// plainly.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_

#include <rocksdb/filter_policy.h>

namespace cassandra_bloom::bench {

// A filter policy that does nothing: what it takes is the benchmark's own time.
// Its filters match every key. The caller owns it.
const ROCKSDB_NAMESPACE::FilterPolicy* NewEmptyFilterPolicy();

// Cassandra's filter written down as its Java has it: what the work on
// cassandra_bloom's speed is measured against.
//
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

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_FILTER_POLICIES_H_
