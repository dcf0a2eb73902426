// SPDX-License-Identifier: Apache-2.0

// The folder that exported Filter.db files are in: names, lock, mark, and what
// is removed.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/sstable/file_io.h"

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
bool CheckHoldsNoSstables(const std::string& folder, std::string* error);

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

  static bool WaitForever() { return true; }

  // False if somebody else holds it, for whom it could not wait. True where
  // there are no locks.
  bool may_write() const { return may_write_; }

 private:
  const FileDescriptor fd_;
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

// A folder while the filters of a database, of one SSTable version, are
// exported to it: locked, and made to follow the database if it is to.
class ExportFolder {
 public:
  // What a folder that follows a database is to hold.
  struct Claim {
    std::string database;
    FilterContents contents;
    std::set<uint64_t> live;  // The SST files whose filters it is to have.
    bool overwrite = false;  // Also filters for which something else was asked.
  };

  // Creates the folder if its parent is there, and waits for its lock as long
  // as `may_wait` says. Null, and `*error`, if that cannot be, or if it shall
  // follow a database (`sync`) and holds SSTables.
  static std::unique_ptr<ExportFolder> Open(
      const std::string& path, const std::string& sstable_version, bool sync,
      const std::function<bool()>& may_wait, std::string* error);

  std::string FilterDbOf(uint64_t number) const;

  // Removes the temporary files, of filters and of the mark, that nobody is
  // writing.
  void RemoveLeftOvers() const;

  // Marks it as the folder of these filters of this database, unless it is.
  // Before, all filters are removed, as they hold something else; in this
  // order, so that none of them is ever taken for one of these contents.
  // `*removed`: those that are not of `live` SST files, which will have new
  // ones. An error if it is marked as that of another database, as files of two
  // would get the same names, and if it has filters of `live` SST files for
  // which something else was asked, unless `overwrite`.
  bool MakeFollow(const Claim& claim, std::vector<std::string>* removed,
                  std::string* error) const;

  // Whether it is marked so. Otherwise filters that are there may be anything.
  bool StillFollows(const Claim& claim, std::string* error) const;

  // Removes a filter of ours; none there is no error. What is none of ours
  // stays, and is an error.
  bool Remove(uint64_t number, std::vector<std::string>* removed,
              std::string* error) const;

  // Removes the filters whose number is not in `live`. What has such a name and
  // is none of ours stays, and is an error.
  bool RemoveOthers(const std::set<uint64_t>& live,
                    std::vector<std::string>* removed,
                    std::string* error) const;

 private:
  ExportFolder(const std::string& path, const std::string& sstable_version,
               const std::function<bool()>& may_wait)
      : path_(path), version_(sstable_version), lock_(path, may_wait) {}

  bool CheckMark(const Claim& claim, bool* is_new, std::string* error) const;
  bool HasFilterOf(const std::set<uint64_t>& numbers) const;
  bool RemoveStrays(const std::set<uint64_t>& live,
                    std::vector<std::string>* removed, std::string* left_alone,
                    std::string* error) const;
  bool RemoveAll(const std::set<uint64_t>& live,
                 std::vector<std::string>* removed, std::string* error) const;

  const std::string path_;
  const std::string version_;
  const ExportFolderLock lock_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_H_
