// SPDX-License-Identifier: Apache-2.0

// Changes the policy of a database while its files stay. No row may be lost.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

enum class Filters {
  kAreUsed,
  kMatchEveryKey,  // Reads ask the filters, which match every key.
  kAreNotSeen,
};

void ExpectReads(TestDb* db, const Dataset& dataset, Filters filters) {
  db->ResetStatistics();
  EXPECT_TRUE(ReadsMatch(db->source(), dataset));
  const uint64_t negatives = db->Ticker(rocksdb::BLOOM_FILTER_USEFUL);
  const uint64_t positives = db->Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  EXPECT_EQ(negatives + positives,
            filters == Filters::kAreNotSeen
                ? 0
                : 3 * (dataset.absent.size() + dataset.rows.size()));
  if (filters == Filters::kAreUsed) {
    EXPECT_GT(negatives, 3 * dataset.absent.size() * 98 / 100);
  } else {
    EXPECT_EQ(negatives, 0);
  }
}

class SwitchingTest : public ::testing::TestWithParam<Layout> {};

TEST_P(SwitchingTest, LosesNoRow) {
  const PolicyPtr ours = OurPolicy();
  const PolicyPtr beside = OurPolicyBesideRocksdb();
  const PolicyPtr builtin = BuiltinPolicy();
  const PolicyPtr ribbon = BuiltinRibbonPolicy();
  const PolicyPtr none;
  const struct {
    PolicyPtr from;
    PolicyPtr to;
    Filters filters_of_from;
  } switches[] = {
      {builtin, ours, Filters::kAreNotSeen},
      {ours, builtin, Filters::kAreNotSeen},
      {ours, none, Filters::kAreNotSeen},
      {none, ours, Filters::kAreNotSeen},
      {ours, OurPolicy(15.5), Filters::kAreUsed},
      {builtin, beside, Filters::kAreUsed},
      {ribbon, beside, Filters::kAreUsed},
      {beside, builtin, Filters::kMatchEveryKey},
      {beside, ribbon, Filters::kMatchEveryKey},
      {beside, none, Filters::kAreNotSeen},
      {none, beside, Filters::kAreNotSeen},
      {beside, OurPolicyBesideRocksdb(15.5), Filters::kAreUsed},
      {ours, beside, Filters::kAreNotSeen},
      {beside, ours, Filters::kAreNotSeen},
      // The part of a key that is hashed. The keys begin with "key".
      {ours, PolicyFor("skip:3"), Filters::kAreNotSeen},
      {PolicyFor("skip:3"), ours, Filters::kAreNotSeen},
      {PolicyFor("skip:3"), PolicyFor("skip:2"), Filters::kAreNotSeen},
      {PolicyFor("fixed:9"), PolicyFor("skip:3"), Filters::kAreNotSeen},
      {PolicyFor("skip:3"), PolicyFor("skip:3"), Filters::kAreUsed},
  };
  for (const auto& change : switches) {
    SCOPED_TRACE((change.from ? change.from->GetId() : "none") + " to " +
                 (change.to ? change.to->GetId() : "none"));
    Dataset dataset = NumberedDataset(3000, 3000);
    TestDb db(DbOptions(change.from, GetParam()), dataset.rows);

    db.Reopen(DbOptions(change.to, GetParam()));
    {
      SCOPED_TRACE("a file of the one, the policy of the other");
      ExpectReads(&db, dataset, change.filters_of_from);
    }

    Rows newer;
    for (uint32_t i = 2500; i < 3500; ++i) {
      newer[NumberedKey(i)] = "newer";
      dataset.rows[NumberedKey(i)] = "newer";
    }
    db.Fill(newer);
    {
      SCOPED_TRACE("a file of each");
      EXPECT_TRUE(ReadsMatch(db.source(), dataset));
    }

    db.Compact();
    SCOPED_TRACE("after a compaction");
    ExpectReads(&db, dataset,
                change.to ? Filters::kAreUsed : Filters::kAreNotSeen);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SwitchingTest,
                         ::testing::Values(Layout::kFull,
                                           Layout::kPartitionedCached),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
