// SPDX-License-Identifier: Apache-2.0

// A folder that receives the exported filters of one database. It describes
// itself in a hidden file, the mark. The first line of the mark is DatabaseOf
// the database. Each other line describes one Filter.db, with a tab between its
// parts:
//
//   NAME  SST  OPTIONS  WRITTEN
//
// SST is the StampOf the SST file from which the filter was made, OPTIONS the
// text of FolderSettings::filters, and WRITTEN the StampOf the Filter.db.
//
// Threads and processes that work in a folder at once need no lock. Every file
// gets its name when it is complete, and one write appends a line. So the worst
// that they do to each other is that a line is lost. The filter is then made
// anew.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom {

inline constexpr char kFolderMarkName[] = ".cassandra_bloom_database";
inline constexpr char kMarkSeparator = '\t';
inline constexpr uint64_t kMaxMark = uint64_t{1} << 30;  // Bytes.

// Returns the name of an exported Filter.db. For number 123 it is
// "nb-123-big-Filter.db" or, for some versions, "da-123-bti-Filter.db".
std::string FilterDbName(const std::string& sstable_version, uint64_t number);

// Returns the number in a name that FilterDbName makes for this version.
// Returns nullopt for any other name.
std::optional<uint64_t> NumberOfFilterDb(std::string_view name,
                                         const std::string& sstable_version);

// Returns the name of an SST file. For number 123 it is "000123.sst".
std::string SstName(uint64_t number);

// Returns the number in the name of an SST file, or 0.
uint64_t NumberOfSst(std::string_view path);

// Returns the inode, the size and the modification time of a regular file, or
// "" if there is none. RocksDB uses the number of an SST file again after a
// restore, after RepairDB, and in a copy of the database, but the file then has
// another stamp. A hard link has the same one, for example in a checkpoint.
std::string StampOf(const std::string& path);

// Returns the whole path of a database.
std::string DatabaseOf(const std::string& path);

// Returns the form of a Filter.db of this SSTable version. Returns nullopt,
// with
// `*error`, if the version is unknown, or if this process runs another RocksDB
// release than this library was compiled for.
std::optional<FilterForm> FormOfExports(const std::string& sstable_version,
                                        std::string* error);

struct FolderSettings {
  std::string sstable_version = "nb";

  // The settings that decide the bytes of a Filter.db, in one line. The default
  // is that of filters that are copied, whatever part of a key they hold.
  std::string filters = "partition_key=default bits_per_key=10";

  // Take over a folder with filters that no export recorded.
  bool overwrite = false;

  // Claim nothing. Only check whether the folder could be claimed.
  bool dry_run = false;
};

enum class ExportResult {
  kDone,
  kNoBlock,  // The filter block is no Filter.db. The error says why.
  kGone,     // The SST file is not there, or no longer.
  kCannotRead,
  kCannotWrite,
};

// Writes the Filter.db of a filter. Replaces what is there, also a symbolic
// link.
ExportResult WriteFilter(const ParsedFilter& filter, FilterForm form,
                         const std::string& path, std::string* error);

// Has no state, so several threads may use it at once.
class ExportFolder {
 public:
  ExportFolder(std::string path, FolderSettings settings)
      : path_(std::move(path)), settings_(std::move(settings)) {}

  const std::string& path() const { return path_; }
  const FolderSettings& settings() const { return settings_; }

  // Creates the folder if its parent exists. Makes it that of `database`, or
  // finds that it is already. Refuses a folder of another database, because the
  // filters of both would have the same names. Refuses a folder without a mark
  // that has SSTables of Cassandra or, without the setting overwrite, filters
  // of this SSTable version, because an export would remove or replace filters.
  bool Claim(const std::string& database, std::string* error) const;

  // Refuses a folder that has SSTables of Cassandra, whose filters an export
  // would remove or replace, and, if it is not claimed yet, one that has
  // filters.
  bool MayBeTaken(bool is_claimed, std::string* error) const;

  // Lists the names in the folder: none if there is no folder.
  bool ListNames(std::vector<std::string>* names, std::string* error) const;

  // Returns the first line of the mark, or "" if there is no mark.
  std::string Owner() const;

  std::string MarkPath() const { return path_ + "/" + kFolderMarkName; }

  // Writes the whole mark.
  bool WriteMark(const std::string& text, bool overwrite,
                 std::string* error) const;

  // Returns the line of the mark for the Filter.db with this number, as it is
  // now, if it was made from an SST file with this stamp.
  std::string LineOf(uint64_t number, const std::string& sst_stamp) const;

  std::string FilterDbOf(uint64_t number) const;

  // Writes a Filter.db to this path.
  using WriteFilterDb =
      std::function<ExportResult(const std::string& path, std::string* error)>;

  // Makes the Filter.db with this number anew from this SST file. First removes
  // the old Filter.db, because it may be that of another SST file of this
  // number, and deny keys. If anything fails, or if the SST file is gone at the
  // end, leaves no Filter.db. If there is no such SST file, does nothing: its
  // folder may not be known.
  ExportResult Renew(uint64_t number, const std::string& sst,
                     const WriteFilterDb& write, std::string* error) const;

  // Removes the Filter.db with this number, if there is one.
  bool Remove(uint64_t number, std::string* error) const;

 private:
  bool Record(uint64_t number, const std::string& sst_stamp,
              std::string* error) const;

  const std::string path_;
  const FolderSettings settings_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_
