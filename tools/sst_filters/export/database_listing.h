// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_

#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cassandra_bloom {

struct LiveSst {
  std::string path;  // If the file is not found, where it should be.
  uint64_t number = 0;
  // A text that differs for different SST files, even of the same number. It is
  // made from what the database knows of the file, so that the file need not be
  // opened.
  std::string identity;
  std::string column_family;
  int level = 0;
  std::string smallest_key;
  std::string largest_key;
  uint64_t num_entries = 0;
  bool elsewhere = false;  // In one of db_paths or cf_paths.
  std::string error;       // Set if the file at `path` has a wrong size.
};

// Return the error, and what to do, for an SST file that is in two successive
// listings but does not exist. One listing is not enough, because the database
// may have deleted the file after the listing.
std::string WhyMissing(const LiveSst& sst);
std::string RemedyForMissing(const LiveSst& sst);

// The settings of a column family in the latest OPTIONS file.
struct ColumnFamilySettings {
  // Null if the column family has no prefix extractor, or one that this process
  // does not know.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;
};

struct LiveSsts {
  std::string database;  // The database's identity and its path.
  std::vector<LiveSst> files;
  std::map<std::string, ColumnFamilySettings> column_families;
};

// Returns `db_dir`, then the other folders in `db_paths`, each once.
std::vector<std::string> SstFoldersOf(const std::string& db_dir,
                                      const std::vector<std::string>& db_paths);

// Lists the live SST files in the order of column family, level and number.
// `db_paths` are other folders that may have SST files. `column_family` is a
// name, or "" for all. Another process may be writing to the database.
bool ListLiveSsts(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, LiveSsts* live,
                  std::string* error);

std::string NoSuchColumnFamily(const std::string& db_dir,
                               const std::string& column_family,
                               const LiveSsts& live);

// Returns the SST files in these folders that `live` does not contain.
std::vector<std::string> UnlistedSsts(const LiveSsts& live,
                                      const std::vector<std::string>& folders);

// Lists the live SST files of a database that is open in this process, in no
// particular order. Leaves `column_families` empty. Must not be called with
// RocksDB's mutex held.
LiveSsts LiveSstsOf(ROCKSDB_NAMESPACE::DB* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
