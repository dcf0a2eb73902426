// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_

#include "db_bench_ext/filter_bench/filters_under_test.h"

namespace cassandra_bloom::bench {

// Builds a small filter with `filter`, and a filter of the same keys with the
// naive policy. Throws std::runtime_error if the two filters differ in a byte
// or in an answer. Does nothing if `filter` does not build blocks in
// Cassandra's format.
void CheckAgainstNaive(const FilterUnderTest& filter, FilterConfig config);

void CheckSameBlocks(const FilterSet& a, const FilterSet& b);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_
