// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::bench {

struct Machine {
  std::string cpu;
  unsigned cpus = 0;
  std::vector<std::string> simd;  // Names from /proc/cpuinfo.
  // Sizes in bytes, as the C library reports them. In a virtual machine they
  // may be wrong.
  int64_t l1d_cache = 0;
  int64_t l2_cache = 0;
  int64_t l3_cache = 0;
  std::string transparent_hugepages;

  std::string rocksdb_version;
  // The path of RocksDB's shared library, or of this program if it contains
  // RocksDB.
  std::string rocksdb_file;
  std::string compiler;
};

Machine ThisMachine();

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_MACHINE_H_
