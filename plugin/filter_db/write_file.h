// SPDX-License-Identifier: Apache-2.0

// Writes files completely or not at all. A file is first written under a
// temporary name, which is its own name, kTemporarySuffix and a number that is
// free, and gets its final name when it is complete and on disk. A process that
// is killed may leave the temporary file. Errors name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Appends bytes to the file that is being written. Returns false on failure.
using Append = std::function<bool(const char* data, size_t size)>;
using WriteContent = std::function<bool(const Append&)>;

inline constexpr char kTemporarySuffix[] = ".cassandra_bloom-new";

// Returns true if `name` is that of a temporary file, and sets `*of` to the
// final name.
bool IsTemporaryName(std::string_view name, std::string_view* of);

// Writes a regular file completely or not at all, and syncs its bytes and its
// name to disk. Without `overwrite`, fails if anything exists at `path`. With
// `overwrite`, replaces anything but a folder. Does not follow a symbolic link
// at `path`. If only syncing the folder fails, returns false although the new
// file is at `path`. After every other failure, `path` is unchanged.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

bool WriteAll(int fd, const char* data, size_t size);

bool SyncFolder(const std::string& folder, std::string* error);

// Returns the name of the file type in `mode`, such as "a folder".
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_
