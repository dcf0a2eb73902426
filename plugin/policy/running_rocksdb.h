// SPDX-License-Identifier: Apache-2.0

// Checks that the RocksDB of this process is the one that this library was
// compiled for.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_

#include <string>

namespace cassandra_bloom {

// Compares major.minor: distributions use it in the name of RocksDB's library,
// and RocksDB's private interface changes with it. Empty if they are the same,
// otherwise what is wrong.
std::string RunningRocksdbFault();

// True if there is no fault. Otherwise says so on stderr, once.
bool RunningRocksdbIsOurs();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
