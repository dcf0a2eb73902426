// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

// Reconciles the folder with the database, and then compares it byte for byte
// with an export of each live SST file. The folder must contain nothing else. A
// file that cannot be exported has no filter (such as one with deletions and
// without a usable block, in RocksDB before 9.2). Counts the filters made from
// blocks.
::testing::AssertionResult ExportsMatch(rocksdb::DB* db,
                                        const std::string& out_dir,
                                        uint64_t* num_from_blocks);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
