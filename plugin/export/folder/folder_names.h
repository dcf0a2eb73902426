// SPDX-License-Identifier: Apache-2.0

// How the files of an export folder are named.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>

namespace cassandra_bloom {

// The name of an exported Filter.db, such as "nb-123-big-Filter.db" or
// "da-123-bti-Filter.db" for number 123.
std::string FilterDbName(const std::string& sstable_version, uint64_t number);

// If FilterDbName returns this name for this version and some number, returns
// the number; otherwise nullopt.
std::optional<uint64_t> NumberOfFilterDb(const std::string& name,
                                         const std::string& sstable_version);

// True for the name of a temporary file of the mark, or of a filter of this
// version.
bool IsTemporaryName(const std::string& name,
                     const std::string& sstable_version);

// True if an export into a folder that follows a database would take a file
// with this name for its own.
bool IsNamedAsExported(const std::string& path);

// True for the name of a Data.db, which holds the rows of an SSTable, such as
// "nb-1-big-Data.db".
bool IsNamedAsSstable(const std::string& name);

// Returns the number in a name like "000123.sst", and nullopt for other names.
// `path` may contain folders.
std::optional<uint64_t> NumberOfSst(const std::string& path);

// True if file names can contain this SSTable version. Returns false, with
// `*error`, if the version is unknown or is the name of a form.
bool IsNameableVersion(const std::string& sstable_version, std::string* error);

// The name of the hidden file that marks a folder (folder_mark.h).
inline constexpr char kFolderMarkName[] = ".cassandra_bloom_database";

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_
