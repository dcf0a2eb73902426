// SPDX-License-Identifier: Apache-2.0

// The answer of doctor is one JSON value. The text is printed from it.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_

#include "filterdb/commands/output.h"
#include "tools/sst_filters/costs.h"
#include "tools/sst_filters/database/rocksdb_log.h"
#include "tools/sst_filters/judge.h"

namespace cassandra_bloom::tools {

Json ToJson(const JudgedFamily& family, const Costs& costs,
            const SettingsTable& settings,
            const std::optional<LoggedCache>& cache);

// `has_prefixes_alone` is whether a column family has filters of prefixes
// alone.
Json ToJson(const RocksdbLog& log, bool has_prefixes_alone);

void PrintFamily(const Json& family);
void PrintLog(const Json& log);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_REPORT_H_
