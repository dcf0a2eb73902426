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

// Appends bytes to the file that is being written. Returns false on failure.
using Append = std::function<bool(const char* data, size_t size)>;
using WriteContent = std::function<bool(const Append&)>;

// Writes a regular file completely or not at all, and syncs its bytes and its
// name to disk. Without `overwrite`, it is an error if anything exists at
// `path`. With `overwrite`, the new file replaces anything but a folder, for
// which rename(2) fails. After an error of syncing the folder, the new file is
// at `path`.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

// Like WriteFileAtomically with `overwrite`. When the bytes are written, and
// before the file gets its name, calls `before_naming` with the file's
// descriptor. If ReplaceFileAtomically returns false, nothing has changed at
// `path`, unless the error is that of syncing the folder.
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

// What a user's `path` leads to, if symbolic links are followed. "-" is
// standard output. Returns nullopt, with `*error`, for anything to which
// WriteOutput does not write.
std::optional<OutputKind> OutputKindOf(const std::string& path,
                                       std::string* error);

// Writes to what a user's `path` leads to. A regular file, existing or new, is
// written as by WriteFileAtomically. If `path` is a symbolic link, the
// temporary file is next to the link's target. A stream gets the bytes
// directly, whatever `overwrite` is. If nobody reads a FIFO any more, that is
// an error without SIGPIPE. Anything else (a folder, a socket or a block
// device) is an error.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// For messages: "standard output" if `path` is "-", otherwise `path`.
std::string NameOfOutput(const std::string& path);

// The name of the file type in `mode`, an st_mode, such as "a folder" or "a
// socket".
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_
