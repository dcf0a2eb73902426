// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what the bytes of a MANIFEST say that RocksDB does not tell.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>

namespace cassandra_bloom::tools {

// Whether a file of records (RocksDB's db/log_format.h) ends in the middle of a
// record. RocksDB reads such a MANIFEST without an error, as if the record were
// not there.
bool EndsInARecord(const std::string& path);

// The numbers of all SST files that any record of a MANIFEST adds. If such a
// file is no longer live, a later record has removed it, so the database needs
// it no more. A MANIFEST that has lost its end does not add the files that only
// the lost records added.
std::set<uint64_t> FilesAddedBy(const std::string& manifest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_MANIFEST_H_
