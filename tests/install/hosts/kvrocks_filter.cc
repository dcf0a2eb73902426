// SPDX-License-Identifier: Apache-2.0

// For a program that sets RocksDB's own Bloom filter in its code, such as
// Kvrocks, and that has this plugin in its RocksDB. The program's calls of
// rocksdb::NewBloomFilterPolicy(double, bool) come here if this file and
//
//   -Wl,--wrap=_ZN7rocksdb20NewBloomFilterPolicyEdb
//
// are given to the linker, so its sources need no change. Calls from the file
// of RocksDB that defines that function stay as they are: options strings mean
// what they say. The policy also reads the filters that the program has written
// without this file.

#include <rocksdb/filter_policy.h>

#include "cassandra_bloom/filter_policy.h"

// The linker gives the replaced function this name.
extern "C" const rocksdb::FilterPolicy*
__wrap__ZN7rocksdb20NewBloomFilterPolicyEdb(double bits_per_key,
                                            bool /*use_block_based_builder*/) {
  return rocksdb::NewCassandraBloomPolicyBesideRocksdb(bits_per_key);
}
