// SPDX-License-Identifier: Apache-2.0

// Which SST files a database consists of.

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
  std::string path;  // The expected path, if it is not found.
  uint64_t number = 0;
  std::string column_family;
  int level = 0;
  uint64_t num_entries = 0;
  bool elsewhere = false;  // In a folder that no file of the database names.
  std::string error;       // Not empty if the file at `path` is not this one.
};

// The error for a file that two listings of the live files in a row contain,
// and that does not exist. One listing is not enough: the database may have
// dropped the file after it. RocksDB records a drop in the MANIFEST before it
// removes the file, so that a second listing no longer contains it.
std::string WhyMissing(const LiveSst& sst);
std::string RemedyForMissing(const LiveSst& sst);

// As recorded in the latest OPTIONS file.
struct ColumnFamilySettings {
  std::string filter_policy;  // Its id; empty if there is none.
  bool levelled = true;       // Whether its compaction style is leveled.
  // Null if there is none, or if it is not known here.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;
};

struct LiveSsts {
  std::string database;  // Identity and path, so copies differ.
  bool uses_default_file_system = true;
  std::vector<LiveSst> files;
  std::map<std::string, ColumnFamilySettings> column_families;
};

// The folder of the database, then the other folders in `db_paths`, each once.
std::vector<std::string> SstFoldersOf(const std::string& db_dir,
                                      const std::vector<std::string>& db_paths);

// Lists the files by column family, level and number. `db_paths`: the folders
// besides `db_dir` that SST files may be in, in any order. `column_family`: its
// name, or "" for all of them. Another process may be writing to the database.
bool ListLiveSsts(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, LiveSsts* live,
                  std::string* error);

// SST files in these folders that are not in the listing, in no particular
// order.
std::vector<std::string> UnlistedSsts(const LiveSsts& live,
                                      const std::vector<std::string>& folders);

// Lists a database that is open in this process, in no particular order and
// without column_families. Must not be called with RocksDB's mutex held.
LiveSsts LiveSstsOf(ROCKSDB_NAMESPACE::DB* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
