// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: whether the policy in use asks the filters of the SST
// files.
//
// Tested in tests/sst_filters/policy_in_use_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_FILTERS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_FILTERS_H_

#include "tools/sst_filters/doctor/family.h"

namespace cassandra_bloom::tools {

// Fills in the policies of `*family`, from its options and its SST files. Then
// gives a state, a fault and a remedy to each file whose filter the policy
// Family::ours does not use. Files with a filter of RocksDB get a state, too.
void JudgeFilters(Family* family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_JUDGE_FILTERS_H_
