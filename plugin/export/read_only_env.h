// SPDX-License-Identifier: Apache-2.0

// To read a database that belongs to somebody else.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_

#include <rocksdb/env.h>

#include <memory>

namespace cassandra_bloom {

// The files of the machine, for reading. Whatever would create, change or
// remove one fails: before some release even a read-only open removes *.trash
// files from a database's folder (7.8 does). Write-ahead logs are not there, so
// that an open takes no memory for what is in them. Never destroyed.
ROCKSDB_NAMESPACE::Env* ReadOnlyEnv();

// Keeps nothing. Without an info_log RocksDB may create its LOG.
std::shared_ptr<ROCKSDB_NAMESPACE::Logger> NewDiscardingLogger();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
