// SPDX-License-Identifier: Apache-2.0

// Reads a database in every way that queries a filter, and compares the results
// with the rows that the database is expected to contain.

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

// Calls Get for every row and every absent key.
::testing::AssertionResult GetsMatch(const Source& source,
                                     const Dataset& dataset);

// Calls MultiGet for every row and every absent key, in batches that RocksDB
// has to divide. Present and absent keys are mixed. They are in key order if
// `sorted` is true, otherwise shuffled.
::testing::AssertionResult MultiGetsMatch(const Source& source,
                                          const Dataset& dataset, bool sorted);

// Reads all rows forwards and backwards, in total order.
::testing::AssertionResult ScanMatches(const Source& source, const Rows& rows);

// SeeksMatch calls Seek for every key of the dataset, and SeeksForPrevMatch
// calls SeekForPrev. Both then take a few steps. If `prefix_extractor`, which
// may be null, applies to a key, they compare only rows with the same prefix,
// because RocksDB promises no others.
::testing::AssertionResult SeeksMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);
::testing::AssertionResult SeeksForPrevMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);

// The same two checks, but only for the keys in `targets`.
::testing::AssertionResult SeeksMatch(
    const Source& source, const Rows& rows,
    const std::vector<std::string>& targets,
    const rocksdb::SliceTransform* prefix_extractor);
::testing::AssertionResult SeeksForPrevMatch(
    const Source& source, const Rows& rows,
    const std::vector<std::string>& targets,
    const rocksdb::SliceTransform* prefix_extractor);

// Returns the keys for which SeekForPrev finds a wrong row.
std::set<std::string> SeekForPrevMisses(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor);

// Checks Get, MultiGet and a scan of all rows.
::testing::AssertionResult PointReadsMatch(const Source& source,
                                           const Dataset& dataset);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
