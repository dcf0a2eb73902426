// SPDX-License-Identifier: Apache-2.0

// Checks that this process runs the RocksDB release that this library was
// compiled for.
//
// Tested in tests/install/preload/loader_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_

#include <string>

namespace cassandra_bloom {

// Returns "" if this process runs the RocksDB release that this library was
// compiled for. Otherwise returns a text with both releases and what to do.
// Compares only major.minor, because RocksDB's private interface does not
// change in patch releases.
std::string RunningRocksdbFault();

// Returns true if RunningRocksdbFault returns "". Otherwise the first call in a
// process prints the fault on stderr.
bool RocksdbReleaseMatches();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
