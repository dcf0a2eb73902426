// SPDX-License-Identifier: Apache-2.0

// Is the RocksDB of this process the one that we were compiled for?

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_

#include <string>

namespace cassandra_bloom {

// Compares major.minor, by which distributions name RocksDB's library and its
// private interface changes. Empty if they are the same, otherwise what is
// wrong.
std::string RunningRocksdbFault();

// If there is a fault, says so on stderr, once.
bool RunningRocksdbIsOurs();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_RUNNING_ROCKSDB_H_
