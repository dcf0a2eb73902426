// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: the column families of a database and their SST files.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_

#include <string>
#include <vector>

#include "plugin/export/live_ssts.h"
#include "tools/sst_filters/doctor/family.h"
#include "tools/sst_filters/doctor/files/database_files.h"

namespace cassandra_bloom::tools {

// A database as the command line names it.
struct NamedDatabase {
  std::string db;
  std::vector<std::string> db_paths;  // Further folders of SST files.
};

LiveSsts ListLiveSsts(const NamedDatabase& database);

struct Database {
  std::vector<Family> families;
  std::vector<std::string> left_out;  // Column families not examined.
  DatabaseFiles files;
};

// `column_families` has the names to examine. If it is empty, examines all.
// Throws Unusable if the database cannot be examined.
Database ExamineDatabase(const NamedDatabase& database,
                         const std::vector<std::string>& column_families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_EXAMINE_H_
