// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: whether the policy in use asks the filters of the SST files.
//
// Tested in tests/filterdb/doctor/policy_in_use_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_

#include "tools/filterdb/doctor/family.h"

namespace cassandra_bloom::tools {

// Sets the policies of the column family, from its options and its SST files.
// Sets the state, fault and remedy of each file whose filter is not used with
// the policy Family::ours. Also sets the state of files with RocksDB's own
// filter.
void JudgeFilters(Family* family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_
