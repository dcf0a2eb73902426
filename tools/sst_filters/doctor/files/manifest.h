// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: reads facts from a MANIFEST that RocksDB's API does not
// give.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_MANIFEST_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>

namespace cassandra_bloom::tools {

// Returns whether a MANIFEST ends in the middle of a record (format: RocksDB's
// db/log_format.h). RocksDB ignores a cut record without an error.
bool EndsInARecord(const std::string& path);

// Returns the numbers of all SST files that any record of a MANIFEST adds. If
// such a file is not live, a later record has removed it, so the database does
// not need it.
std::set<uint64_t> FilesAddedBy(const std::string& manifest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_MANIFEST_H_
