// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom {

struct LiveSst {
  std::string path;
  uint64_t number = 0;
  // A text that differs for different SST files, even of the same number. It is
  // made from what the database knows of the file, so that the file need not be
  // opened.
  std::string identity;
};

struct LiveSsts {
  std::string database;  // The database's identity and its path.
  std::vector<LiveSst> files;
};

LiveSst ToLiveSst(const ROCKSDB_NAMESPACE::SstFileMetaData& file);

// Returns the database's identity and path. The identity alone is not enough,
// because a copy of the database has the same identity.
std::string DatabaseOf(ROCKSDB_NAMESPACE::DB* db);

// Lists the live SST files of a database that is open in this process, in no
// particular order. Must not be called with RocksDB's mutex held.
LiveSsts LiveSstsOf(ROCKSDB_NAMESPACE::DB* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
