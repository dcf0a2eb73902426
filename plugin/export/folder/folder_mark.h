// SPDX-License-Identifier: Apache-2.0

// The mark file is a hidden file in a folder of exported filters. It says to
// which database the filters belong. Its lines:
//
//   DATABASE                     LiveSsts::database, with spaces for newlines
//   VERSION  ASKED  EXTRACTORS   for each SSTable version: its FilterContents
//   NAME     SST    WRITTEN      for each Filter.db: its RecordedFilter
//
// A tab separates the parts of a line. If several lines have the same NAME, the
// last one counts. Other lines are ignored, because a process may be killed
// while it appends a line.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Says which entries of an SST file go into its exported filter.
struct FilterContents {
  std::string asked;       // The options that decide the entries, as text.
  std::string extractors;  // Prefix extractors, which a database may change.
};

// What the mark file says about an exported Filter.db. The identity of the SST
// file is recorded, because two copies of a database may have different SST
// files with the same number.
struct RecordedFilter {
  std::string sst;      // SstFile::identity() of the SST file.
  std::string written;  // The modification time of the Filter.db.
};

// Returns the modification time of the file as text. Returns nullopt if the
// file does not exist.
std::optional<std::string> TimeWritten(const std::string& filter_db);

struct FolderMark {
  std::string database;
  // Key: SSTable version. Empty in a mark file that an earlier version of this
  // code wrote.
  std::map<std::string, FilterContents> contents;
  // Key: the name of the Filter.db. A filter is missing here if an earlier
  // version of this code wrote it, or if the export was killed.
  std::map<std::string, RecordedFilter> filters;
  size_t num_filter_lines = 0;  // More than filters.size() if names repeat.
};

// `database` is a LiveSsts::database.
bool IsMarkOf(const FolderMark& mark, const std::string& database);

// Returns true if `mark` covers the folder's filters of this SSTable version. A
// mark without `contents` covers every version.
bool SpeaksFor(const FolderMark& mark, const std::string& sstable_version);

std::string FolderMarkPath(const std::string& folder);

// Returns nullopt if the folder has no mark file. If the file cannot be read,
// returns a mark of the database "", which is no database's name.
std::optional<FolderMark> ReadFolderMark(const std::string& folder);

// Writes the whole mark file. Without `overwrite`, an existing file is an
// error.
bool WriteFolderMark(const std::string& folder, const FolderMark& mark,
                     bool overwrite, std::string* error);

// Appends one line to the mark file. Does not sync the line to disk, because
// that would be slow. If the line is lost, the filter is made anew.
bool AppendToFolderMark(const std::string& folder, const std::string& name,
                        const RecordedFilter& filter, std::string* error);

// Fails if the folder follows a database. Only an export with `sync` may write
// into that folder, because no other export records what it has written.
bool FollowsNoDatabase(const std::string& folder, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
