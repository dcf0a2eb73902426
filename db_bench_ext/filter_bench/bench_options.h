// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_OPTIONS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/bench_keys.h"

namespace cassandra_bloom::bench {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BenchOptions {
  std::vector<uint64_t> keys;
  uint64_t filters = 0;
  std::vector<KeyShape> key_shapes;
  std::vector<double> bits_per_key;
  std::vector<uint32_t> batches;
  std::vector<std::string> workloads;
  std::vector<std::string> filters_to_run;
  uint64_t queries = 0;
  uint32_t rounds = 0;
  uint32_t build_rounds = 0;  // At most `rounds`.
  size_t block_offset = 0;
  std::string json;  // A file name. "-": stdout. "": no JSON.
};

// Throws UsageError if the command line is wrong. If the command line has
// --help or a similar flag, prints the text for that flag and ends the process.
BenchOptions ReadOptions(int argc, char** argv);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_BENCH_OPTIONS_H_
