// SPDX-License-Identifier: Apache-2.0

// Which SST files a database consists of.
// Tested in tests/export/database_exporter_test.cc.
// Tested in tests/export/listener_test.cc.

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
  std::string path;  // If not found: where it should be.
  uint64_t number = 0;
  std::string column_family;
  int level = 0;
  std::string smallest_key;
  std::string largest_key;
  uint64_t num_entries = 0;
  bool elsewhere = false;  // In a folder that no file of the database names.
  std::string error;       // Set if the file at `path` is another one.
};

// The error for an SST file that does not exist although two successive
// listings of the live files contain it. A file that is only in the first
// listing may have been dropped in between: RocksDB records a drop in the
// MANIFEST before it removes the file.
std::string WhyMissing(const LiveSst& sst);
std::string RemedyForMissing(const LiveSst& sst);

// The settings of a column family in the latest OPTIONS file.
struct ColumnFamilySettings {
  // Null if the column family has none, or has one that this process does not
  // know.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;
};

struct LiveSsts {
  std::string database;  // Identity and path, so copies differ.
  bool uses_default_file_system = true;
  std::vector<LiveSst> files;
  std::map<std::string, ColumnFamilySettings> column_families;
};

// Returns the folder of the database, then the other folders in `db_paths`,
// each once.
std::vector<std::string> SstFoldersOf(const std::string& db_dir,
                                      const std::vector<std::string>& db_paths);

// Lists the live SST files in the order of column family, level and number.
// `db_paths`: the folders besides `db_dir` that SST files may be in, in any
// order. `column_family`: a name, or "" for all. Another process may be writing
// to the database.
bool ListLiveSsts(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, LiveSsts* live,
                  std::string* error);

// The error for a column family that the database does not have.
std::string NoSuchColumnFamily(const std::string& db_dir,
                               const std::string& column_family,
                               const LiveSsts& live);

// The SST files in these folders that `live` does not contain, in no particular
// order.
std::vector<std::string> UnlistedSsts(const LiveSsts& live,
                                      const std::vector<std::string>& folders);

// Lists the live SST files of a database that is open in this process, in no
// particular order. Leaves `column_families` empty. Must not be called with
// RocksDB's mutex held.
LiveSsts LiveSstsOf(ROCKSDB_NAMESPACE::DB* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
