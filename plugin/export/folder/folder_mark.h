// SPDX-License-Identifier: Apache-2.0

// The hidden file that marks a folder of exported filters as following a
// database. Its lines:
//
//   DATABASE                     LiveSsts::database, with spaces for newlines
//   VERSION  ASKED  EXTRACTORS   for each SSTable version: its FilterContents
//   NAME     SST    WRITTEN      for each Filter.db: its RecordedFilter
//
// A tab separates the parts of a line. If several lines have the same NAME,
// the last one counts. Lines of any other shape are ignored, because a process
// may be killed, or the disk may become full, while a line is appended.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Which entries of their SST files the filters of one SSTable version hold. Two
// exports with the same contents make filters of the same entries from an SST
// file; only the sizes of the filters may differ.
struct FilterContents {
  std::string asked;       // The options that decide the entries, as text.
  std::string extractors;  // Prefix extractors, which a database may change.
};

// What the mark says about a Filter.db that an export wrote. The SST file's
// identity is recorded because a filter's name and time do not tell from which
// SST file it was made. If a copy of the database is written to, it gets other
// SST files with the same numbers, and it may later replace the database.
struct RecordedFilter {
  std::string sst;      // SstFile::identity() of the SST file.
  std::string written;  // The modification time of the Filter.db.
};

// The modification time of the file, as text for a mark. Returns nullopt if the
// file does not exist.
std::optional<std::string> TimeWritten(const std::string& filter_db);

struct FolderMark {
  std::string database;
  // Key: SSTable version. Empty in a mark that an earlier version of this code
  // wrote.
  std::map<std::string, FilterContents> contents;
  // Key: the name of the Filter.db. A filter is missing here if an earlier
  // version of this code wrote it, or if the export was killed before it
  // recorded the filter.
  std::map<std::string, RecordedFilter> filters;
  size_t num_filter_lines = 0;  // More than filters.size() if names repeat.
};

// True if `mark` is the mark of this database (a LiveSsts::database).
bool IsMarkOf(const FolderMark& mark, const std::string& database);

// True if the mark says that the folder's filters of this SSTable version are
// filters of the database. A mark without contents says so for every version.
bool SpeaksFor(const FolderMark& mark, const std::string& sstable_version);

std::string FolderMarkPath(const std::string& folder);

// Reads the mark of a folder. Returns nullopt if the folder has none. If a mark
// cannot be read, returns one with the database "", which is the mark of no
// database.
std::optional<FolderMark> ReadFolderMark(const std::string& folder);

// Writes the whole mark. Without `overwrite`, an existing mark is an error.
bool WriteFolderMark(const std::string& folder, const FolderMark& mark,
                     bool overwrite, std::string* error);

// Appends one line to an existing mark. Does not sync it to disk, because that
// would be slow for many filters. If the line is lost, the filter is made anew.
bool AppendToFolderMark(const std::string& folder, const std::string& name,
                        const RecordedFilter& filter, std::string* error);

// Fails if the folder follows a database: only an export with `sync` may write
// into it, because only such an export records from what each filter was made.
bool FollowsNoDatabase(const std::string& folder, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
