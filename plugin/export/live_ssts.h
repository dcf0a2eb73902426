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
  std::string path;  // Where it should be, if it is not found.
  uint64_t number = 0;
  std::string column_family;
  int level = 0;
  uint64_t num_entries = 0;
  bool elsewhere = false;  // It is in no folder that a file names.
  std::string error;       // Not empty: what is found there is not the file.
};

// Of one that is missing in two listings. In one listing alone it may be
// missing because the database has done without it meanwhile: it writes so into
// its MANIFEST before it removes a file.
std::string WhyMissing(const LiveSst& sst);
std::string RemedyForMissing(const LiveSst& sst);

// As the latest OPTIONS file has it.
struct ColumnFamilySettings {
  std::string filter_policy;  // Its id; empty if there is none.
  bool levelled = true;       // By its compaction style.
  // Null if there is none, or one that is not known here.
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> prefix_extractor;
};

struct LiveSsts {
  std::string database;  // Which one it is: unlike any other.
  bool usual_file_system = true;
  std::vector<LiveSst> files;  // By column family, level and number.
  std::map<std::string, ColumnFamilySettings> column_families;
};

// That of the database, and those of `db_paths` that are others, each once.
std::vector<std::string> SstFoldersOf(const std::string& db_dir,
                                      const std::vector<std::string>& db_paths);

// `db_paths`: the folders besides `db_dir` that SST files may be in, in any
// order. `column_family`: its name, or "" for all of them. Another process may
// be writing to the database.
bool ListLiveSsts(const std::string& db_dir,
                  const std::vector<std::string>& db_paths,
                  const std::string& column_family, LiveSsts* live,
                  std::string* error);

// SST files in these folders that are not in the listing, in no order.
std::vector<std::string> UnlistedSsts(const LiveSsts& live,
                                      const std::vector<std::string>& folders);

// Of a database that is open in this process; without settings. Not to be
// called with RocksDB's mutex held.
LiveSsts LiveSstsOf(ROCKSDB_NAMESPACE::DB* db);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LIVE_SSTS_H_
