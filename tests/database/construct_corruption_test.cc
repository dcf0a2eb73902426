// SPDX-License-Identifier: Apache-2.0

// With the option detect_filter_construct_corruption, RocksDB fails a flush or
// a compaction if a filter changes in memory before it is written.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

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

// This test shows that only RocksDB's verification makes the flush fail in the
// tests below.
TEST_P(ConstructCorruptionTest, NobodyLooksUnlessAsked) {
  const auto damaging = std::make_shared<DamagingPolicy>(Flip::kClearedToSet);
  TestDb unchecked(OptionsFor(damaging, GetParam(), /*detect=*/false));
  unchecked.Put(dataset_.rows);
  EXPECT_EQ(Flush(unchecked).ToString(), "OK");
  EXPECT_GT(damaging->num_flipped(), 0);

  TestDb undamaged(OptionsFor(std::make_shared<DamagingPolicy>(Flip::kNone),
                              GetParam(), /*detect=*/true));
  undamaged.Put(dataset_.rows);
  EXPECT_EQ(Flush(undamaged).ToString(), "OK");
}

INSTANTIATE_TEST_SUITE_P(All, ConstructCorruptionTest,
                         ::testing::Values(Layout::kFull, Layout::kPartitioned),
                         [](const auto& test) { return ToString(test.param); });

// These tests are slow because RocksDB waits a second after a failure.
class FlippedBitTest
    : public ::testing::TestWithParam<std::tuple<Layout, Flip>> {
 protected:
  void TearDown() override {
    EXPECT_GT(damaging_->num_flipped(), 0);
    // No row may be lost. The rows are still in the write-ahead log, or in the
    // input of the compaction.
    db_.Reopen(OptionsFor(OurPolicy(), layout_, /*detect=*/true));
    EXPECT_TRUE(PointReadsMatch(db_.source(), dataset_));
  }

  void ExpectOurCorruption(const rocksdb::Status& status) {
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_NE(status.ToString().find("cassandra_bloom"), std::string::npos)
        << status.ToString();
  }

  const Layout layout_ = std::get<Layout>(GetParam());
  const std::shared_ptr<DamagingPolicy> damaging_ =
      std::make_shared<DamagingPolicy>(std::get<Flip>(GetParam()));
  const Dataset dataset_ = TestRows();
  TestDb db_ = TestDb(OptionsFor(OurPolicy(), layout_, /*detect=*/true));
};

TEST_P(FlippedBitTest, FailsTheFlush) {
  db_.Reopen(OptionsFor(damaging_, layout_, /*detect=*/true));
  db_.Put(dataset_.rows);
  ExpectOurCorruption(Flush(db_));
}

TEST_P(FlippedBitTest, FailsTheCompaction) {
  db_.Put(dataset_.rows);
  db_.Flush();
  db_.Reopen(OptionsFor(damaging_, layout_, /*detect=*/true));
  ExpectOurCorruption(CompactAll(db_.source()));
}

INSTANTIATE_TEST_SUITE_P(
    All, FlippedBitTest,
    ::testing::Combine(::testing::Values(Layout::kFull, Layout::kPartitioned),
                       ::testing::Values(Flip::kClearedToSet,
                                         Flip::kSetToCleared)),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) +
             (std::get<Flip>(test.param) == Flip::kClearedToSet
                  ? "_ClearedToSet"
                  : "_SetToCleared");
    });

}  // namespace
}  // namespace cassandra_bloom::testing
