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

// Whether files can be written there, or it can be created. An error, too, if a
// database is there or in a folder above, so that nothing ever gets into one.
bool IsUsableExportFolder(const std::string& folder, std::string* error);

// Creates it if its parent is there.
bool PrepareExportFolder(const std::string& folder, std::string* error);

// False for a folder of SSTables, whose own Filter.db files would be taken for
// old exports.
bool MayBeSynced(const std::string& folder, std::string* error);

// Marks the folder as that of a database, which for a folder without a mark is
// `*is_new`. An error if it is that of another: files of two would get the same
// names.
bool ClaimExportFolder(const std::string& folder, const std::string& database,
                       bool* is_new, std::string* error);

// Held while a folder is written to: one at a time, of all threads and
// processes, where the file system can.
class ExportFolderLock {
 public:
  explicit ExportFolderLock(const std::string& folder);
  ~ExportFolderLock();
  ExportFolderLock(const ExportFolderLock&) = delete;
  ExportFolderLock& operator=(const ExportFolderLock&) = delete;

 private:
  const int fd_;
};

// True if the file is a whole filter, and no older than the SST file: than its
// content and its name, which a link or a copy may give to an old content.
bool IsUpToDate(const std::string& filter_db, FilterForm form,
                const std::string& sst_file);

// Removes a file of ours; none there is no error.
bool RemoveFilterDb(const std::string& folder,
                    const std::string& sstable_version, uint64_t number,
                    std::vector<std::string>* removed, std::string* error);

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
