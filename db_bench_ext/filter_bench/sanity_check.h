// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_

#include "db_bench_ext/filter_bench/filters_under_test.h"

namespace cassandra_bloom::bench {

// Does nothing if `filter` does not build Filter.db blocks. Otherwise throws
// std::runtime_error unless a small filter of this configuration equals the
// naive one byte for byte and gives the same answers, one by one and in
// batches.
void CheckAgainstNaive(const FilterUnderTest& filter, FilterConfig config);

// Throws std::runtime_error unless both sets have the same blocks.
void CheckSameBlocks(const FilterSet& a, const FilterSet& b);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_SANITY_CHECK_H_
