// SPDX-License-Identifier: Apache-2.0

// The machine and the programs that gave the figures.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::bench {

struct Machine {
  std::string cpu;
  unsigned cpus = 0;
  std::vector<std::string> simd;  // In Linux's spelling.
  // Sizes in bytes, as the C library reports them. They may be wrong in a
  // virtual machine.
  int64_t l1d_cache = 0;
  int64_t l2_cache = 0;
  int64_t l3_cache = 0;
  std::string transparent_hugepages;

  std::string rocksdb_version;
  // The file of RocksDB's shared library, or of this program if it contains
  // RocksDB.
  std::string rocksdb_file;
  // The compiler of this program.
  std::string compiler;
};

Machine ThisMachine();

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
