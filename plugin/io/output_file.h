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
// name to disk. Without `overwrite`, fails if anything exists at `path`. With
// `overwrite`, replaces anything but a folder. If only syncing the folder
// fails, returns false although the new file is at `path`.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

// Like WriteFileAtomically with `overwrite`, but calls `before_naming` after
// all bytes are written and before the file gets its name. `fd` is the
// descriptor of the file. If only syncing the folder fails, returns false
// although the new file is at `path`. After every other failure, `path` is
// unchanged.
bool ReplaceFileAtomically(
    const std::string& path, const WriteContent& write,
    const std::function<bool(int fd, std::string* error)>& before_naming,
    std::string* error);

bool SyncFolder(const std::string& folder, std::string* error);

enum class OutputKind {
  kNew,     // Nothing exists. A regular file will be created.
  kFile,    // A regular file.
  kStream,  // Standard output, a FIFO or a character device.
};

// Returns what `path` leads to if symbolic links are followed. "-" is standard
// output. For anything to which WriteOutput does not write, sets `*error` and
// returns nullopt.
std::optional<OutputKind> OutputKindOf(const std::string& path,
                                       std::string* error);

// Writes to what `path` leads to if symbolic links are followed. "-" is
// standard output. A regular file, existing or new, is written as by
// WriteFileAtomically. A FIFO, a character device or standard output gets the
// bytes directly, whatever `overwrite` is. If the reader of a FIFO goes away,
// fails without a SIGPIPE signal.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// Returns "standard output" if `path` is "-", otherwise `path`.
std::string NameOfOutput(const std::string& path);

// Returns the name of the file type in `mode`, such as "a folder".
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_OUTPUT_FILE_H_
