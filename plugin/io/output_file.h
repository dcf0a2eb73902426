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
// or not at all. Without `overwrite`, anything that exists at `path` is an
// error. With it, the new file replaces anything but a folder, for which
// rename(2) fails.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

// Like WriteFileAtomically with `overwrite`. When the bytes are written and
// before the file gets its name, calls `before_naming` with the file's
// descriptor. If ReplaceFileAtomically returns false, nothing has changed at
// `path`.
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
// written as by WriteFileAtomically; the temporary file is next to the file
// itself, not next to a link to it. A stream gets the bytes as they come,
// whatever `overwrite` is; if its reader has gone, that is an error without
// SIGPIPE. Anything else (a folder, a socket or a block device) is an error.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// "standard output" or the path.
std::string NameOfOutput(const std::string& path);

// The file type in `mode`, an st_mode: "a folder" or "a socket", for example.
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_
