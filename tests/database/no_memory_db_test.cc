// SPDX-License-Identifier: Apache-2.0

// Reads must find all rows of a file even if no memory was left for its filter.
// An empty filter would lose rows.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/allocations.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

class NoMemoryDbTest : public ::testing::TestWithParam<Mode> {
 protected:
  void TearDown() override { largest_allocation = SIZE_MAX; }
};

TEST_P(NoMemoryDbTest, NoRowIsLost) {
  constexpr uint64_t kSeed = 20;
  // All keys have a prefix, because RocksDB's assertions fail for keys outside
  // the domain of the prefix extractor.
  const Dataset dataset = PrefixedDataset(kSeed, 500, 10, 0);
  TestDb db(GetParam().OptionsWith(OurPolicy()));
  db.Put(dataset.rows);
  // In bytes. Too small for a chunk of hashes, and for a full filter.
  largest_allocation = 1000;
  db.Flush();
  largest_allocation = SIZE_MAX;

  EXPECT_TRUE(ReadsMatch(db.source(), dataset));
  EXPECT_EQ(db.ReadsFiltered(), 0u) << "there are no filters";
  db.Reopen();
  EXPECT_TRUE(ReadsMatch(db.source(), dataset));
  db.Compact();
  db.ResetStatistics();
  EXPECT_TRUE(ReadsMatch(db.source(), dataset));
  EXPECT_GT(db.ReadsFiltered(), 0u) << "filters must work again";
}

INSTANTIATE_TEST_SUITE_P(All, NoMemoryDbTest, ::testing::ValuesIn(AllModes()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace cassandra_bloom::testing
