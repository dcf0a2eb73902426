// SPDX-License-Identifier: Apache-2.0

// Compares what RocksDB reads from a database with the expected rows.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_

#include <gtest/gtest.h>

#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Calls Get for every row and every absent key.
::testing::AssertionResult GetsMatch(const Source& source,
                                     const Dataset& dataset);

// Checks Get, MultiGet (in large batches, sorted and not), a scan of all rows,
// and a Seek of each row. `random_db` compares all other kinds of Seek.
::testing::AssertionResult ReadsMatch(const Source& source,
                                      const Dataset& dataset);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
