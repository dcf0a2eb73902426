// SPDX-License-Identifier: Apache-2.0

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
  // True if cassandra_bloom is on, but the OPTIONS file does not tell its
  // option `blocks`. `in_use` is then a guess from the newest filter.
  bool form_is_guessed = false;
  // The cassandra_bloom policy with which RocksDB uses the most filters.
  std::string advised;
  // Equal to `in_use` if cassandra_bloom is in use. Otherwise the policy that
  // `advised` names.
  PolicyInUse ours = PolicyInUse::kCassandra;
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FAMILY_H_
