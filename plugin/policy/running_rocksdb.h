// SPDX-License-Identifier: Apache-2.0

// Checks that the RocksDB of this process is the one that this library was
// compiled for.
//
// Tested in tests/install/preload/loader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_

#include <string>

namespace cassandra_bloom {

// Returns "" if major.minor of the two releases are the same, otherwise a text
// that names both. Only major.minor counts: distributions use it in the name of
// RocksDB's library, and RocksDB's private interface changes with it.
std::string RunningRocksdbFault();

// True if RunningRocksdbFault returns "". Otherwise prints the fault to stderr,
// once.
bool RocksdbReleaseMatches();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
