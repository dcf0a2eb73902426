// SPDX-License-Identifier: Apache-2.0

// Compares what RocksDB reads from a database with the expected rows.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Calls Get for every row and every absent key.
::testing::AssertionResult GetsMatch(const Source& source,
                                     const Dataset& dataset);

// Checks Get, MultiGet (in large batches, sorted and not) and a scan of all
// rows.
::testing::AssertionResult PointReadsMatch(const Source& source,
                                           const Dataset& dataset);

enum class Direction { kForward, kBackward };

// Calls Seek or SeekForPrev for every key, and then takes a few steps. If a key
// has a prefix, compares only rows with this prefix, because RocksDB need not
// find other rows. `prefix_extractor` may be null.
::testing::AssertionResult SeeksMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor,
    Direction direction = Direction::kForward);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
