// SPDX-License-Identifier: Apache-2.0

// For reading a database that belongs to another program.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_

#include <rocksdb/env.h>

#include <memory>

namespace cassandra_bloom {

// The local files, for reading only. Creating, changing or removing a file
// fails: in older releases (7.8, for one) even a read-only open removes *.trash
// files from a database's folder. Write-ahead logs are hidden, so that an open
// takes no memory for their contents. Never destroyed.
ROCKSDB_NAMESPACE::Env* ReadOnlyEnv();

// Discards all messages. Without an info_log RocksDB may create its LOG.
std::shared_ptr<ROCKSDB_NAMESPACE::Logger> NewDiscardingLogger();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
