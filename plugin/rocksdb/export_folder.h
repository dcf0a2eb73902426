// The folder that exported Filter.db files are in: names, and what is removed.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_FOLDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {

// "nb-123-big-Filter.db"
std::string FilterDbName(const std::string& sstable_version, uint64_t number);

// The number of "000123.sst", with or without folders before it.
std::optional<uint64_t> NumberOfSst(const std::string& path);

// True if files may be named after this version: if it is one.
bool IsNameableVersion(const std::string& sstable_version, std::string* error);

// Creates it if its parent is there. An error if a database is there or in a
// folder above, so that nothing ever gets into one.
bool PrepareExportFolder(const std::string& folder, std::string* error);

// True if the file is a whole filter, and no older than the SST file.
bool IsUpToDate(const std::string& filter_db, FilterForm form,
                const std::string& sst_file);

// Removes the files with FilterDbName of this version and a number that is not
// in `live`, and the temporary files of such names that no running process is
// writing. No others.
bool RemoveOtherFilterDbs(const std::string& folder,
                          const std::string& sstable_version,
                          const std::set<uint64_t>& live,
                          std::vector<std::string>* removed,
                          std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_EXPORT_FOLDER_H_
