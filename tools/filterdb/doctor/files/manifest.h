// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: reads from a MANIFEST what RocksDB's API does not tell.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>

namespace cassandra_bloom::tools {

// Whether a file of records (RocksDB's db/log_format.h), such as a MANIFEST,
// ends in the middle of a record. RocksDB ignores a cut record without an
// error.
bool EndsInARecord(const std::string& path);

// The numbers of all SST files that any record of a MANIFEST adds. If one of
// these files is no longer live, a later record has removed it, so the database
// does not need it any more. Files that only a lost end of the MANIFEST added
// are not among them.
std::set<uint64_t> FilesAddedBy(const std::string& manifest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
