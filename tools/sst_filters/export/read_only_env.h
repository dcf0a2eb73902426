// SPDX-License-Identifier: Apache-2.0

// How a database that belongs to another program is opened for reading.
//
// Tested in tests/sst_filters/export/database_listing_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_READ_ONLY_ENV_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_READ_ONLY_ENV_H_

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom {

// Returns an Env that only reads local files, and is never destroyed. Creating,
// changing or removing a file fails, because even a read-only open may remove
// *.trash files (RocksDB 7.8). Hides write-ahead logs, so that an open does not
// load them.
ROCKSDB_NAMESPACE::Env* ReadOnlyEnv();

// Returns a logger that discards all messages. It must be set as info_log,
// because RocksDB may create a LOG file if there is no info_log.
std::shared_ptr<ROCKSDB_NAMESPACE::Logger> NewDiscardingLogger();

// DB::OpenForReadOnly, whose last parameter is another type from RocksDB 11 on.
ROCKSDB_NAMESPACE::Status OpenReadOnly(
    const ROCKSDB_NAMESPACE::DBOptions& options, const std::string& db_dir,
    const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>& families,
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*>* handles,
    std::unique_ptr<ROCKSDB_NAMESPACE::DB>* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_EXPORT_READ_ONLY_ENV_H_
