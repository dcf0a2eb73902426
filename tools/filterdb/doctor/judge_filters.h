// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: whether the policy in use asks the filters that there are.
//
// Tested in tests/filterdb/doctor/policy_in_use_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_

#include "tools/filterdb/doctor/family.h"

namespace cassandra_bloom::tools {

// Determines the policies of the column family from its options and its SST
// files, and sets the state, fault and remedy of each file whose filter the
// policy `ours` does not ask, or which is RocksDB's own.
void JudgeFilters(Family* family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_JUDGE_FILTERS_H_
