// SPDX-License-Identifier: Apache-2.0

// The hidden file that marks a folder of exported filters as following a
// database. Its lines:
//
//   DATABASE                     LiveSsts::database, with spaces for newlines
//   VERSION  ASKED  EXTRACTORS   for each SSTable version: its FilterContents
//   NAME     SST    WRITTEN      for each Filter.db: its RecordedFilter
//
// with a tab between the parts of a line. If several lines have the same NAME,
// the last one counts. Lines of any other shape are ignored: a process may have
// been killed, or the disk may have been full, while a line was appended.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Which entries of their SST files the filters of one SSTable version hold. Two
// exports of the same contents give an SST file's filter the same entries; only
// the size of the filter may differ.
struct FilterContents {
  std::string asked;       // The options that decide the entries, as text.
  std::string extractors;  // Prefix extractors; the database may change them.
};

// What the mark says about a Filter.db that was written. The name and the time
// of a filter do not tell from which SST file it was made: a copy of the
// database that was written to on its own has other SST files of the same
// numbers, and may later take the place of the database.
struct RecordedFilter {
  std::string sst;      // SstFile::identity() of the SST file.
  std::string written;  // The modification time of the Filter.db.
};

// The modification time of the file, in the form that a mark holds. Returns
// nullopt if the file does not exist.
std::optional<std::string> TimeWritten(const std::string& filter_db);

struct FolderMark {
  std::string database;
  // Key: SSTable version. Empty if an earlier version of this code wrote the
  // mark.
  std::map<std::string, FilterContents> contents;
  // Key: the name of the Filter.db. Filters that are missing here were written
  // by an earlier version of this code, or by an export that was killed.
  std::map<std::string, RecordedFilter> filters;
  size_t num_filter_lines = 0;  // May be more than `filters`.
};

// True if `mark` is that of the database whose LiveSsts::database is
// `database`.
bool IsMarkOf(const FolderMark& mark, const std::string& database);

// True if the mark says that the folder's filters of this SSTable version are
// filters of the database. A mark without contents says so of every version.
bool SpeaksFor(const FolderMark& mark, const std::string& sstable_version);

std::string FolderMarkPath(const std::string& folder);

// Reads the mark of a folder; nullopt if it has none. For a mark that cannot
// be read, returns one whose database is "", which is no database's mark.
std::optional<FolderMark> ReadFolderMark(const std::string& folder);

// Writes the whole mark. Without `overwrite`, an existing mark is an error.
bool WriteFolderMark(const std::string& folder, const FolderMark& mark,
                     bool overwrite, std::string* error);

// Appends one line to an existing mark. The line is not synced to disk, because
// that would be slow for many filters: if it is lost, the filter is made anew.
bool AppendToFolderMark(const std::string& folder, const std::string& name,
                        const RecordedFilter& filter, std::string* error);

// Fails if the folder follows a database: only an export with `sync` may write
// into it, because it alone records in the mark what each filter was made from.
bool FollowsNoDatabase(const std::string& folder, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_MARK_H_
