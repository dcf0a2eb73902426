// SPDX-License-Identifier: Apache-2.0

// A filter policy that does nothing: what it takes is the benchmark's own time.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_EMPTY_FILTER_POLICY_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_EMPTY_FILTER_POLICY_H_

#include <rocksdb/filter_policy.h>

namespace cassandra_bloom::bench {

// Its filters match every key. The caller owns it.
const ROCKSDB_NAMESPACE::FilterPolicy* NewEmptyFilterPolicy();

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_EMPTY_FILTER_POLICY_H_
