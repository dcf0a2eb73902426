// SPDX-License-Identifier: Apache-2.0

// Reads a database in every way that asks a filter, and compares the results
// with the rows that it is expected to contain.

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
// has to divide. Present and absent keys are mixed: in key order if `sorted`,
// shuffled otherwise.
::testing::AssertionResult MultiGetsMatch(const Source& source,
                                          const Dataset& dataset, bool sorted);

// Reads all rows forwards and backwards, in total order.
::testing::AssertionResult ScanMatches(const Source& source, const Rows& rows);

// SeeksMatch calls Seek, and SeeksForPrevMatch calls SeekForPrev, for every key
// of the dataset; both then take a few steps. If `prefix_extractor` (may be
// null) applies to a key, only rows of the same prefix are compared, because
// RocksDB promises no others.
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

// Checks Get, MultiGet and a scan.
::testing::AssertionResult PointReadsMatch(const Source& source,
                                           const Dataset& dataset);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_CHECKS_H_
