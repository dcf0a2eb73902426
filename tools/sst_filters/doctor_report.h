// SPDX-License-Identifier: Apache-2.0

// The answer of doctor is one JSON value. These print the text from it.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_

#include "filterdb/commands/output.h"

namespace cassandra_bloom::tools {

void PrintFamily(const Json& family);
void PrintLog(const Json& log);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_
