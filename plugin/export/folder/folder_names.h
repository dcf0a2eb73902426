// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Returns the name of an exported Filter.db. For number 123 it is
// "nb-123-big-Filter.db" or, for some versions, "da-123-bti-Filter.db".
std::string FilterDbName(const std::string& sstable_version, uint64_t number);

// Returns the number in a name that FilterDbName makes for this version.
// Returns nullopt for any other name.
std::optional<uint64_t> NumberOfFilterDb(const std::string& name,
                                         const std::string& sstable_version);

bool IsTemporaryName(const std::string& name,
                     const std::string& sstable_version);

// Returns true if the path ends in "-big-Filter.db" or "-bti-Filter.db", as
// exported filters do.
bool IsNamedAsExported(const std::string& path);

bool IsNamedAsSstable(const std::string& name);

// Returns the number in a path like "db/000123.sst". Returns nullopt for other
// paths.
std::optional<uint64_t> NumberOfSst(const std::string& path);

// Returns true for an SSTable version, such as "nb". Returns false, with
// `*error`, for an unknown version, and for the name of a filter form, such as
// "na-and-later".
bool IsNameableVersion(const std::string& sstable_version, std::string* error);

inline constexpr char kFolderMarkName[] = ".cassandra_bloom_database";

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_FOLDER_FOLDER_NAMES_H_
