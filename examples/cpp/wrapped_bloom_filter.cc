// SPDX-License-Identifier: Apache-2.0

// Gives this plugin's filter to a program that sets RocksDB's own Bloom filter
// in its code, and has RocksDB and this plugin linked into it, such as Kvrocks
// or a program in Rust. Link the program with this file and the option
//
//   -Wl,--wrap=_ZN7rocksdb20NewBloomFilterPolicyEdb
//
// The option does not change calls in the source file that defines the
// function. So RocksDB still makes its own Bloom filter from an options string.

#include <rocksdb/filter_policy.h>

#include "cassandra_bloom/filter_policy.h"

extern "C" const rocksdb::FilterPolicy*
__wrap__ZN7rocksdb20NewBloomFilterPolicyEdb(double bits_per_key,
                                            bool /*use_block_based_builder*/) {
  return rocksdb::NewCassandraBloomPolicyBesideRocksdb(bits_per_key);
}
