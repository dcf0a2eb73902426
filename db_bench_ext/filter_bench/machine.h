// SPDX-License-Identifier: Apache-2.0

// Where the figures were measured.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::bench {

struct Machine {
  std::string cpu;
  unsigned cpus = 0;
  std::vector<std::string> simd;  // As Linux calls them.
  // Bytes, as the C library tells them: of a virtual machine they may be wrong.
  int64_t l1d_cache = 0;
  int64_t l2_cache = 0;
  int64_t l3_cache = 0;
  std::string transparent_hugepages;

  std::string rocksdb_version;
  std::string rocksdb_file;  // Of the shared library, or of this program.
  std::string compiler;      // Of this program.
};

Machine ThisMachine();

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
