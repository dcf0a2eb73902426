// SPDX-License-Identifier: Apache-2.0

// A folder that receives exported Filter.db files. If it has a mark file
// (folder_mark.h), it "follows" a database. Exports then keep it up to date
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

// Returns true if an export listener may be configured to use this folder.
// Accepts a folder that does not exist, or cannot be written to, because it may
// be mounted later.
bool IsGoodExportSetting(const std::string& folder, std::string* error);

// Creates the folder if its parent exists. Fails if the folder is in a
// database's folder, because nothing is ever written into a database.
bool PrepareExportFolder(const std::string& folder, std::string* error);

// Fails if the folder holds SSTables. An export would replace or remove the
// Filter.db files of these SSTables, because they may have the same names as
// exported files.
bool CheckHoldsNoSstables(const std::string& folder, std::string* error);

// Returns true if an export may write, keep and remove the file at `path`: a
// regular file, or no file. Returns false for a symbolic link, for example,
// because it may lead out of the folder.
bool MayBeOfExport(const std::string& path, std::string* error);

// Returns the name of an exported Filter.db of this SSTable version in the
// folder, or "" if there is none.
std::string FilterDbIn(const std::string& folder,
                       const std::string& sstable_version);

// A locked folder for the filters of one database and one SSTable version.
class ExportFolder {
 public:
  struct Claim {
    std::string database;
    FilterContents contents;
    std::set<uint64_t> live;  // Numbers of the SST files that need a filter.
    // If true, an export may replace filters that were made with other
    // settings. It may also replace filters that are not recorded in the mark
    // file.
    bool overwrite = false;
  };

  // Creates the folder if its parent exists. Waits for the folder's lock while
  // `may_wait` returns true. With `sync`, fails if the folder holds SSTables.
  // Returns null, with `*error`, on failure.
  static std::unique_ptr<ExportFolder> Open(
      const std::string& path, const std::string& sstable_version, bool sync,
      const std::function<bool()>& may_wait, std::string* error);

  std::string FilterDbOf(uint64_t number) const;
  bool HasFilter(uint64_t number) const;

  // Removes temporary files, except those that some process is writing.
  void RemoveLeftOvers() const;

  // If the folder does not have the mark file for `claim` yet, removes all
  // filters, because they may hold other entries, and writes the mark file.
  // Adds the removed filters to `*removed`, except those of live SST files,
  // which will be made anew.
  //
  // Fails if the folder is marked for another database, because the filters of
  // the two databases would have the same names. Without claim.overwrite, also
  // fails if the folder has filters that were made with other settings or are
  // not recorded.
  bool ClaimFor(const Claim& claim, std::vector<std::string>* removed,
                std::string* error);

  // Returns true if the folder still has the mark file that ClaimFor wrote.
  bool IsStillClaimed(const Claim& claim, std::string* error);

  // Returns the mark that ClaimFor or IsStillClaimed has found or written.
  const FolderMark& mark() const { return *mark_; }

  // Records in the mark file that the filter with this number was made from the
  // SST file with the identity `sst` (SstFile::identity). The next export keeps
  // only recorded filters.
  bool Record(uint64_t number, const std::string& sst,
              std::string* error) const;

  // Removes the filter with this number, if it exists. Fails, and removes
  // nothing, if it is not a regular file.
  bool Remove(uint64_t number, std::vector<std::string>* removed,
              std::string* error) const;

  // Removes the filters whose number is not in `live`. Keeps a path that is not
  // a regular file. If there is such a path, removes the other filters and then
  // fails.
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
