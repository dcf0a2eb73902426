// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULT_OUTPUT_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULT_OUTPUT_H_

#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/bench_options.h"
#include "db_bench_ext/filter_bench/machine.h"
#include "db_bench_ext/filter_bench/results.h"

namespace cassandra_bloom::bench {

void PrintText(const Machine& machine, const BenchOptions& options,
               const std::vector<Results>& all_results);

std::string ToJson(const Machine& machine, const BenchOptions& options,
                   const std::vector<Results>& all_results);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULT_OUTPUT_H_
