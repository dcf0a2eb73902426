// SPDX-License-Identifier: Apache-2.0

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_

#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {

// Returns the name of `use` in the JSON.
const char* NameOf(Use use);

// What to do to get the filter of a file written anew.
inline constexpr char kCompactIt[] =
    "compact it (with FIFO compaction, wait until it ages out)";

// Sets the verdict and the rate of each SST file.
void Judge(ExaminedFamily* family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
