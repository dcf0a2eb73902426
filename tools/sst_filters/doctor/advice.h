// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: advice on how to spend the bits of the filters better.
//
// Tested in tests/sst_filters/advice_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ADVICE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ADVICE_H_

#include "tools/sst_filters/doctor/diagnose.h"

namespace cassandra_bloom::tools {

// Forecasts the policy cassandra_bloom:mix for a column family without a fault,
// and adds at most one piece of advice.
void Advise(FamilyReport* report);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ADVICE_H_
