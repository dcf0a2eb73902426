// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: the folders into which listeners of the database export
// filters.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPORTS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/diagnose.h"
#include "tools/filterdb/doctor/examine.h"

namespace cassandra_bloom::tools {

struct ExaminedFolder {
  std::string folder;
  std::string sstable_version;  // Empty if it is not known.
  bool fed = false;             // A listener in the OPTIONS file writes to it.
  uint64_t live = 0;            // Number of live SST files.
  uint64_t filtered = 0;        // Number of those with an up-to-date Filter.db.
  std::vector<Diagnosis> diagnoses;
};

// Examines the folders that the OPTIONS files name, and `export_dir` unless it
// is empty. Throws Unusable if the database cannot be listed.
std::vector<ExaminedFolder> ExamineExports(const NamedDatabase& database,
                                           const std::string& export_dir);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXPORTS_H_
