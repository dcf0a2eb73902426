// SPDX-License-Identifier: Apache-2.0

// Files that are written, and what else bytes may go to. Errors name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_OUTPUT_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_OUTPUT_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace cassandra_bloom {

// Appends bytes to the file being written; false once that has failed.
using Append = std::function<bool(const char* data, size_t size)>;
using WriteContent = std::function<bool(const Append&)>;

// Writes a regular file that is there whole, with its bytes and its name on
// disk, or not at all. What exists is an error unless `overwrite`; then the new
// file takes its place, whatever it is.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const WriteContent& write, std::string* error);

enum class OutputKind {
  kNew,     // Nothing is there: it will be a regular file.
  kFile,    // A regular file.
  kStream,  // Standard output, a FIFO or a character device, none of which has
            // anything to overwrite.
};

// What a user's `path` leads to, perhaps by symbolic links; "-" is standard
// output. nullopt, and an error, for what WriteOutput leaves alone.
std::optional<OutputKind> OutputKindOf(const std::string& path,
                                       std::string* error);

// Writes to what a user's `path` leads to. Where that is, or will be, a regular
// file: as WriteFileAtomically, beside the file and not beside a link to it.
// The bytes go through a stream as they come, without regard to `overwrite`;
// if its reader has gone, that is an error and no SIGPIPE. Anything else, a
// folder, a socket or a block device, is an error.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// "standard output" or the path.
std::string NameOfOutput(const std::string& path);

// "a folder", "a socket" ...: of an st_mode.
const char* NameOfFileType(mode_t mode);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_OUTPUT_FILE_H_
