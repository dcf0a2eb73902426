// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: a column family.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FAMILY_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FAMILY_H_

#include <map>
#include <string>
#include <vector>

#include "tools/filterdb/doctor/examine_sst.h"
#include "tools/filterdb/doctor/files/options_file.h"
#include "tools/filterdb/doctor/filters/policy_in_use.h"

namespace cassandra_bloom::tools {

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FAMILY_H_
