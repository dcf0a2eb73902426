// SPDX-License-Identifier: Apache-2.0

// The file to which a command writes, or standard output ("-").
// Tested in filterdb/tests/commands/output_file_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_

#include <string>

#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

// Returns whether WriteOutput may write to `path`. If not, sets `*error`: there
// is something else than a regular file, or there is one and `overwrite` is
// false. Call this before long work.
bool MayWriteOutput(const std::string& path, bool overwrite,
                    std::string* error);

// Writes to standard output, or to the regular file to which `path` leads if
// symbolic links are followed. A file is written as by WriteFileAtomically.
bool WriteOutput(const std::string& path, bool overwrite,
                 const WriteContent& write, std::string* error);

// Returns "standard output" if `path` is "-", otherwise `path`.
std::string NameOfOutput(const std::string& path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTPUT_FILE_H_
