// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

// Calls ReconcileFilterDbExports, which updates the Filter.db files in
// `out_dir`. Then compares each filter with a new export of its SST file.
// `out_dir` must contain no other files. Adds the number of filters that were
// made from blocks to `*num_from_blocks`.
::testing::AssertionResult ExportsMatch(rocksdb::DB* db,
                                        const std::string& out_dir,
                                        uint64_t* num_from_blocks);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
