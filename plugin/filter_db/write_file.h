// SPDX-License-Identifier: Apache-2.0

// Writes files completely or not at all. A file is first written under a
// temporary name, PATH.cassandra_bloom-new, and gets its final name when it is
// complete and on disk.
//
// The writer holds a lock on the temporary file (flock(2)), which ends with the
// writer's process. So a temporary file without a lock is a leftover, even if
// its writer ran in another container or on another machine. The next writer of
// the same path removes it. Errors name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace cassandra_bloom {

// Appends bytes to the file that is being written. Returns false on failure.
using Append = std::function<bool(const char* data, size_t size)>;
using WriteContent = std::function<bool(const Append&)>;

// Called when all bytes are on disk, right before the file gets its name. If it
// returns false or throws, the file gets no name.
using BeforeNaming = std::function<bool(std::string* error)>;

inline constexpr char kTemporarySuffix[] = ".cassandra_bloom-new";

// Writes a regular file completely or not at all, and syncs its bytes and its
// name to disk. Without `overwrite`, fails if anything exists at `path`. With
// `overwrite`, replaces anything but a folder. Does not follow a symbolic link
// at `path`. If only syncing the folder fails, returns false although the new
// file is at `path`. After every other failure, `path` is unchanged. If another
// writer of `path` does not finish within 5 seconds, fails.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error,
                         const BeforeNaming& before_naming = nullptr);

bool WriteAll(int fd, const char* data, size_t size);

bool SyncFolder(const std::string& folder, std::string* error);

// Removes a temporary file that a killed process has left. Keeps a file that a
// process is writing. Also keeps the file if the file system has no locks.
void RemoveLeftOver(const std::string& temporary);

// Returns the name of the file type in `mode`, such as "a folder".
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_WRITE_FILE_H_
