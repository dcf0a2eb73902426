// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: the column families of a database and their SST files.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_

#include <map>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/examine_sst.h"
#include "tools/filterdb/doctor/files/database_files.h"
#include "tools/filterdb/doctor/files/options_file.h"
#include "tools/filterdb/doctor/policy_in_use.h"

namespace cassandra_bloom::tools {

// A database as a command names it.
struct NamedDatabase {
  std::string db;
  std::vector<std::string> db_paths;  // Further folders of SST files.
};

// Throws Unusable.
LiveSsts ListLiveSsts(const NamedDatabase& database);

struct Family {
  std::string name;
  FamilyOptions options;
  bool is_only = true;  // Whether the database has no other column family.
  PolicyInUse in_use = PolicyInUse::kUnknown;
  // True if `in_use` is ours, and the OPTIONS file does not tell its form:
  // `in_use` is then that of our newest filter.
  bool form_is_guessed = false;
  // The filter_policy of ours that asks the most of the filters that there are.
  std::string advised;
  // `in_use` if it is ours; otherwise that of `advised`.
  PolicyInUse ours = PolicyInUse::kCassandra;
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

struct Database {
  std::vector<Family> families;
  std::vector<std::string> left_out;  // Column families not examined.
  DatabaseFiles files;
};

// `column_families`: the names of those to examine; if empty, all. Throws
// Unusable.
Database ExamineDatabase(const NamedDatabase& database,
                         const std::vector<std::string>& column_families);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_EXAMINE_H_
