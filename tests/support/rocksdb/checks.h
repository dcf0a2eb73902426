// SPDX-License-Identifier: Apache-2.0

// Reads a database in every way that asks a filter, and compares with the rows
// that it must hold.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

// Get of every row and of every absent key.
::testing::AssertionResult GetsMatch(const Source& source,
                                     const Dataset& dataset);

// The same by MultiGet, in batches that RocksDB has to divide. Sorted, present
// and absent keys mix; unsorted, they are shuffled.
::testing::AssertionResult MultiGetsMatch(const Source& source,
                                          const Dataset& dataset, bool sorted);

// All rows forwards and backwards, in total order.
::testing::AssertionResult ScanMatches(const Source& source, const Rows& rows);

// Seek and SeekForPrev to all keys of the dataset, and a few steps on. Where
// `prefix_extractor` (which may be null) applies to the key, only rows of the
// same prefix are looked at: RocksDB promises no others.
::testing::AssertionResult SeeksMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);
::testing::AssertionResult SeeksForPrevMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);

// The same to these keys alone.
::testing::AssertionResult SeeksMatch(
    const Source& source, const Rows& rows,
    const std::vector<std::string>& targets,
    const rocksdb::SliceTransform* prefix_extractor);
::testing::AssertionResult SeeksForPrevMatch(
    const Source& source, const Rows& rows,
    const std::vector<std::string>& targets,
    const rocksdb::SliceTransform* prefix_extractor);

// The keys for which SeekForPrev does not find what it should.
std::set<std::string> SeekForPrevMisses(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);

// Get, MultiGet and scan.
::testing::AssertionResult PointReadsMatch(const Source& source,
                                           const Dataset& dataset);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
