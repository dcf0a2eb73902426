// SPDX-License-Identifier: Apache-2.0

// For a program that sets RocksDB's own Bloom filter in its code, such as
// Kvrocks, and that has this plugin in its RocksDB. The program's calls of
// rocksdb::NewBloomFilterPolicy(double, bool) come here if this file and
//
//   -Wl,--wrap=_ZN7rocksdb20NewBloomFilterPolicyEdb
//
// are given to the linker, so its sources need no change. RocksDB's file that
// defines the function still calls RocksDB's own, so options strings keep their
// meaning. The policy also reads the filters that the program has written
// without this file.

#include <rocksdb/filter_policy.h>

#include "cassandra_bloom/filter_policy.h"

// With --wrap, the linker directs calls of the wrapped function to this one.
extern "C" const rocksdb::FilterPolicy*
__wrap__ZN7rocksdb20NewBloomFilterPolicyEdb(double bits_per_key,
                                            bool /*use_block_based_builder*/) {
  return rocksdb::NewCassandraBloomPolicyBesideRocksdb(bits_per_key);
}
