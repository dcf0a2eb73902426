// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

// Reconciles the folder with the database, after which it must hold what an
// export of each live SST file by itself gives, byte for byte, and nothing
// else. (What cannot be exported, such as deletions without a block in RocksDB
// before 9.2, has no file.) Counts the files that come from blocks.
::testing::AssertionResult ExportsMatch(rocksdb::DB* db,
                                        const std::string& out_dir,
                                        uint64_t* num_from_blocks);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_EXPORT_COMPARISON_H_
