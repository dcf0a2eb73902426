// SPDX-License-Identifier: Apache-2.0

// Writes files and streams. Errors name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Appends bytes to the file being written; returns false if that fails.
using Append = std::function<bool(const char* data, size_t size)>;
using WriteContent = std::function<bool(const Append&)>;

// Writes a regular file completely, with its bytes and its name synced to disk,
// or not at all. Anything that exists at `path` is an error unless `overwrite`;
// then the new file replaces it, whatever it is. (For a folder rename(2)
// fails.)
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

// Like WriteFileAtomically with `overwrite`. Calls `before_naming` when the
// bytes are written, with the descriptor of the file, before the file gets its
// name. If it returns false, nothing has changed at `path`.
bool ReplaceFileAtomically(
    const std::string& path, const WriteContent& write,
    const std::function<bool(int fd, std::string* error)>& before_naming,
    std::string* error);

// Syncs the names in a folder to disk.
bool SyncFolder(const std::string& folder, std::string* error);

enum class OutputKind {
  kNew,     // Nothing is there: it will be a regular file.
  kFile,    // A regular file.
  kStream,  // Standard output, a FIFO or a character device: there is nothing
            // to overwrite.
};

// What a user's `path` leads to, also through symbolic links; "-" is standard
// output. Returns nullopt, with `*error`, for anything that WriteOutput
// refuses.
std::optional<OutputKind> OutputKindOf(const std::string& path,
                                       std::string* error);

// Writes to what a user's `path` leads to. A regular file, existing or new, is
// written as by WriteFileAtomically, next to the file itself and not next to a
// link to it. A stream gets the bytes as they come, whatever `overwrite` is; if
// its reader has gone, that is an error without SIGPIPE. Anything else (a
// folder, a socket or a block device) is an error.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// "standard output" or the path.
std::string NameOfOutput(const std::string& path);

// The type in an st_mode, such as "a folder" or "a socket".
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_
