// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_CHURN_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_CHURN_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/stress/export_stress/stressed_db.h"

namespace cassandra_bloom::testing {

// For this long, does at once what can change the live files of a database:
// writers, compactions, DB::CompactFiles, ingestion, DeleteFilesInRange, and
// column families that are made and dropped. Meanwhile, exports beside the
// listener and checks the filters, and the folder `out_dir` goes away and comes
// back and, if `can_fill`, its disk is full for a while.
void Churn(StressedDb* db, const std::string& out_dir, bool can_fill,
           std::chrono::milliseconds duration, uint64_t* random);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_EXPORT_STRESS_CHURN_H_
