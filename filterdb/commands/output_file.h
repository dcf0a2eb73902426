// SPDX-License-Identifier: Apache-2.0

// The file, FIFO, device or standard output to which a command writes. Errors
// name it.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_

#include <optional>
#include <string>

#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_
