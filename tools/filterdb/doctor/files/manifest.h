// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what the bytes of a MANIFEST say that RocksDB does not tell.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>

namespace cassandra_bloom::tools {

// Whether a file of records (RocksDB's db/log_format.h), such as a MANIFEST,
// ends in the middle of a record. RocksDB ignores such a record without an
// error.
bool EndsInARecord(const std::string& path);

// The numbers of all SST files that any record of a MANIFEST adds. If such a
// file is no longer live, a later record has removed it, so the database needs
// it no more. If the MANIFEST has lost its end, files that only the lost
// records added are missing here.
std::set<uint64_t> FilesAddedBy(const std::string& manifest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
