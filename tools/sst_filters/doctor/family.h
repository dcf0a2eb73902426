// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_H_

#include <map>
#include <string>
#include <vector>

#include "tools/sst_filters/doctor/examine_sst.h"
#include "tools/sst_filters/doctor/files/options_file.h"
#include "tools/sst_filters/doctor/filters/policy_in_use.h"

namespace cassandra_bloom::tools {

struct Family {
  std::string name;
  FamilyOptions options;
  bool is_only = true;  // Whether the database has no other column family.
  PolicyInUse in_use = PolicyInUse::kUnknown;
  // True if the OPTIONS file has the name cassandra_bloom without any options.
  // The option `blocks` is then not known, so that `in_use` is a guess from the
  // newest filter.
  bool form_is_guessed = false;
  // A cassandra_bloom policy. Of all such policies, it uses existing filters
  // for the largest number of rows.
  std::string advised;
  // Equal to `in_use` if cassandra_bloom is on. Otherwise the kind of the
  // policy in `advised`.
  PolicyInUse ours = PolicyInUse::kCassandra;
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FAMILY_H_
