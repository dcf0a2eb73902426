// SPDX-License-Identifier: Apache-2.0

// An Env with which a database that belongs to another program can be read.
// Tested in tests/export/database_exporter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_

#include <rocksdb/env.h>

#include <memory>

namespace cassandra_bloom {

// Returns an Env that reads local files. Creating, changing or removing a file
// with it fails: in older releases (7.8, for one) even a read-only open removes
// *.trash files from a database's folder. It hides write-ahead logs, so that an
// open takes no memory for their contents. It opens regular files only, because
// opening a FIFO would wait. The Env is never destroyed.
ROCKSDB_NAMESPACE::Env* ReadOnlyEnv();

// Returns a logger that discards all messages. Without an info_log RocksDB may
// create its own LOG file.
std::shared_ptr<ROCKSDB_NAMESPACE::Logger> NewDiscardingLogger();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_READ_ONLY_ENV_H_
