// SPDX-License-Identifier: Apache-2.0

// The folder that receives exported Filter.db files: to which database it
// belongs, which of its files are kept, and which are removed. If a folder has
// a mark (folder_mark.h), it "follows" a database: exports keep it up to date
// with the database's live SST files.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/export/folder/folder_lock.h"
#include "plugin/export/folder/folder_mark.h"
#include "plugin/export/folder/folder_names.h"

namespace cassandra_bloom {

// True if a listener may be configured to export to this folder. Returns false,
// with `*error`, if it is no folder, is in the folder of a database, or holds
// SSTables. A folder that does not exist or cannot be written to is accepted,
// because it may be mounted later.
bool IsGoodExportSetting(const std::string& folder, std::string* error);

// Creates the folder if its parent exists. Fails if the folder, or one above
// it, is the folder of a database: nothing is ever written into a database.
bool PrepareExportFolder(const std::string& folder, std::string* error);

// Fails if the folder holds SSTables, because the export would take their
// Filter.db files for its own, and replace or remove them.
bool CheckHoldsNoSstables(const std::string& folder, std::string* error);

// Tells whether an export into a folder that follows a database may write, keep
// and remove the file at `path`, which has the name of an exported file. True
// for a regular file and if there is no file. False, with `*error`, for
// anything else, in particular for a symbolic link, which may lead out of the
// folder.
bool MayBeOfExport(const std::string& path, std::string* error);

// Returns the name of a regular file in the folder that has the name of an
// exported Filter.db of this version. Returns "" if there is none.
std::string FilterDbIn(const std::string& folder,
                       const std::string& sstable_version);

// A locked folder to which filters of one database and one SSTable version are
// exported. ClaimFor marks it as following the database.
class ExportFolder {
 public:
  // What a folder that follows a database is expected to hold.
  struct Claim {
    std::string database;
    FilterContents contents;
    std::set<uint64_t> live;  // Numbers of the SST files that need a filter.
    // If true, filters that were made with other settings, and filters that no
    // export recorded, may be replaced.
    bool overwrite = false;
  };

  // Creates the folder if its parent exists, and waits for its lock while
  // `may_wait` returns true. Returns null, with `*error`, on failure. If
  // `sync`, the folder is to follow a database, and Open also fails if the
  // folder holds SSTables.
  static std::unique_ptr<ExportFolder> Open(
      const std::string& path, const std::string& sstable_version, bool sync,
      const std::function<bool()>& may_wait, std::string* error);

  std::string FilterDbOf(uint64_t number) const;
  bool HasFilter(uint64_t number) const;

  // Removes temporary files of filters and of the mark, except those that some
  // process is writing.
  void RemoveLeftOvers() const;

  // Marks the folder as that of this database and these contents. If it has
  // another mark or none, first removes all filters, because they hold other
  // entries and must never be taken for filters of these contents. Adds to
  // `*removed` only the removed filters whose SST files are not `live`: the
  // others will be made anew.
  //
  // Fails if the folder is marked for another database, because the filters of
  // both would have the same names. Without `overwrite`, also fails if filters
  // of `live` SST files were made with other settings, or if the folder has
  // filters but no mark that says that an export made them.
  bool ClaimFor(const Claim& claim, std::vector<std::string>* removed,
                std::string* error);

  // True if the folder still has the mark that ClaimFor wrote for this claim.
  // If not, the filters in the folder may hold anything.
  bool IsStillClaimed(const Claim& claim, std::string* error);

  // The mark as found or written by the latest call of ClaimFor or
  // IsStillClaimed.
  const FolderMark& mark() const { return *mark_; }

  // Records in the mark that the filter with this number, which was just
  // written, was made from the SST file with this SstFile::identity(). The next
  // export keeps only recorded filters.
  bool Record(uint64_t number, const std::string& sst,
              std::string* error) const;

  // Removes the filter with this number, if it exists. Anything but a regular
  // file stays, and is an error.
  bool Remove(uint64_t number, std::vector<std::string>* removed,
              std::string* error) const;

  // Removes the filters whose number is not in `live`. Anything with the name
  // of such a filter that is not a regular file stays, and is an error.
  bool RemoveOthers(const std::set<uint64_t>& live,
                    std::vector<std::string>* removed,
                    std::string* error) const;

 private:
  ExportFolder(const std::string& path, const std::string& sstable_version,
               const std::function<bool()>& may_wait)
      : path_(path), version_(sstable_version), lock_(path, may_wait) {}

  bool CheckMark(const Claim& claim, bool* is_new, std::string* error);
  bool CheckContents(const Claim& claim, bool* is_new,
                     std::string* error) const;
  bool ForgetOldFilters(const Claim& claim, std::string* error);
  bool RemoveStrays(const std::set<uint64_t>& live,
                    std::vector<std::string>* removed, std::string* left_alone,
                    std::string* error) const;
  bool RemoveAll(const std::set<uint64_t>& live,
                 std::vector<std::string>* removed, std::string* error) const;

  const std::string path_;
  const std::string version_;
  const ExportFolderLock lock_;
  std::optional<FolderMark> mark_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_H_
