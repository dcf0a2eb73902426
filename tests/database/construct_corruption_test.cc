// SPDX-License-Identifier: Apache-2.0

// With the option detect_filter_construct_corruption, RocksDB fails a flush or
// a compaction if a filter changes in memory before it is written.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

rocksdb::Options OptionsFor(PolicyPtr policy, Layout layout, bool detect) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(std::move(policy), layout);
  table_options.detect_filter_construct_corruption = detect;
  return DbOptions(table_options);
}

rocksdb::Status Flush(const TestDb& db) {
  return db->Flush(rocksdb::FlushOptions());
}

Dataset TestRows() { return NumberedDataset(3000, 500); }

class ConstructCorruptionTest : public ::testing::TestWithParam<Layout> {
 protected:
  const Dataset dataset_ = TestRows();
};

TEST_P(ConstructCorruptionTest, NormalFlushAndCompaction) {
  for (const PolicyPtr& policy : {OurPolicy(), OurPolicyBesideRocksdb()}) {
    SCOPED_TRACE(policy->GetId());
    TestDb db(OptionsFor(policy, GetParam(), /*detect=*/true));
    db.Put(dataset_.rows);
    EXPECT_EQ(Flush(db).ToString(), "OK");
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset_));
    db.Compact();
    db.Reopen();
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset_));
    EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL), 0);
  }
}

// Slow, because RocksDB waits a second after a failure.
TEST_P(ConstructCorruptionTest, AClearedBitFailsTheFlushOrTheCompaction) {
  const auto damaging = std::make_shared<DamagingPolicy>();
  for (const bool in_flush : {true, false}) {
    SCOPED_TRACE(in_flush);
    TestDb db(OptionsFor(OurPolicy(), GetParam(), /*detect=*/true));
    if (!in_flush) {
      db.Put(dataset_.rows);
      db.Flush();
    }
    db.Reopen(OptionsFor(damaging, GetParam(), /*detect=*/true));
    if (in_flush) {
      db.Put(dataset_.rows);
    }
    const rocksdb::Status status =
        in_flush ? Flush(db) : CompactAll(db.source());
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_NE(status.ToString().find("cassandra_bloom"), std::string::npos)
        << status.ToString();
    EXPECT_GT(damaging->num_cleared(), 0);
    // No row may be lost. The rows are still in the write-ahead log, or in the
    // input of the compaction.
    db.Reopen(OptionsFor(OurPolicy(), GetParam(), /*detect=*/true));
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset_));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConstructCorruptionTest,
                         ::testing::Values(Layout::kFull, Layout::kPartitioned),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
