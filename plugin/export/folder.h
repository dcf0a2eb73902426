// SPDX-License-Identifier: Apache-2.0

// The folder that exported Filter.db files are in: names, and what is removed.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_

#include <cstdint>
#include <functional>
#include <map>
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

// Whether it may be the setting of a listener: false for what is no folder, for
// one in the folder of a database, and for one of SSTables. That it is not
// there, or cannot be written to, is no error: it may be mounted later.
bool IsGoodExportSetting(const std::string& folder, std::string* error);

// Creates it if its parent is there. An error, too, if a database is there or
// in a folder above, so that nothing ever gets into one.
bool PrepareExportFolder(const std::string& folder, std::string* error);

// False for a folder of SSTables, whose own Filter.db files would be taken for
// old exports.
bool MayBeSynced(const std::string& folder, std::string* error);

// What the filters of one SSTable version hold of their SST files: by these two
// an SST file always gives the same entries, in whatever size of filter.
struct FilterContents {
  std::string sstable_version;
  std::string asked;       // By the options of the export.
  std::string extractors;  // Of prefixes, which the database may change.
};

// The hidden file in a folder that follows a database.
struct FolderMark {
  std::string database;  // LiveSsts::database.
  // By their SSTable version. None where an earlier version wrote the mark.
  std::map<std::string, FilterContents> contents;
};

std::string FolderMarkPath(const std::string& folder);
std::optional<FolderMark> ReadFolderMark(const std::string& folder);

// Whether the folder may hold the filters of these contents of this database,
// and whether it does not do so yet (`*is_new`): then none that is there may be
// kept. An error if it is that of another database, as files of two would get
// the same names, and if it has filters of `live` SST files for which something
// else was asked, unless `overwrite`.
bool CheckFolderMark(const std::string& folder, const std::string& database,
                     const FilterContents& contents,
                     const std::set<uint64_t>& live, bool overwrite,
                     bool* is_new, std::string* error);

// Removes all filters of this SSTable version, as they hold something else, and
// marks the folder. In this order, so that none of them is ever taken for one
// of these contents. `*removed`: those that are not of `live` SST files, which
// will have new ones.
bool MarkFolder(const std::string& folder, const std::string& database,
                const FilterContents& contents, const std::set<uint64_t>& live,
                std::vector<std::string>* removed, std::string* error);

// Whether a folder that follows a database would take a file of this name for
// one of its own.
bool IsNamedAsExported(const std::string& path);

// An error if the folder follows a database: a filter that is put there by
// anybody else would be kept as if it were one of that database.
bool FollowsNoDatabase(const std::string& folder, std::string* error);

// Held while a folder is written to: one at a time, of all threads and
// processes, where the file system can.
class ExportFolderLock {
 public:
  // `may_wait` is asked, again and again, while somebody else holds it.
  ExportFolderLock(const std::string& folder,
                   const std::function<bool()>& may_wait);
  ~ExportFolderLock();

  static bool WaitForever() { return true; }

  // False if somebody else holds it, for whom it could not wait. True where
  // there are no locks.
  bool may_write() const { return may_write_; }

  ExportFolderLock(const ExportFolderLock&) = delete;
  ExportFolderLock& operator=(const ExportFolderLock&) = delete;

 private:
  const int fd_;
  bool may_write_ = true;
};

// Whether an export that follows a database may write, keep and remove what has
// this name of one of its files: a regular file, or nothing as yet. An error
// for anything else, above all for a symbolic link, which leads out of the
// folder.
bool MayBeOfExport(const std::string& path, std::string* error);

// True if the file is a whole filter, and no older than the SST file: than its
// content and its name, which a link or a copy may give to an old content.
bool IsUpToDate(const std::string& filter_db, FilterForm form,
                const std::string& sst_file);

// Removes a file of ours; none there is no error. What is none of ours stays,
// and is an error.
bool RemoveFilterDb(const std::string& folder,
                    const std::string& sstable_version, uint64_t number,
                    std::vector<std::string>* removed, std::string* error);

// Removes the temporary files of FilterDbNames of this version, and of the
// mark, that nobody is writing.
void RemoveLeftOversIn(const std::string& folder,
                       const std::string& sstable_version);

// Removes the files with FilterDbName of this version and a number that is not
// in `live`. No others; what has such a name and is none of ours is an error.
bool RemoveOtherFilterDbs(const std::string& folder,
                          const std::string& sstable_version,
                          const std::set<uint64_t>& live,
                          std::vector<std::string>* removed,
                          std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_
