// SPDX-License-Identifier: Apache-2.0

// Changes the policy over the same files: no row is lost, and filters of
// another policy are unused until a compaction has rewritten the files.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

struct Switch {
  const char* name;
  PolicyPtr (*from)();
  PolicyPtr (*to)();
  bool reads_the_filters_of_from;
  bool writes_filters;
};

PolicyPtr Ours() { return OurPolicy(); }
PolicyPtr OursLarger() { return OurPolicy(15.5); }
PolicyPtr Builtin() { return BuiltinPolicy(); }
PolicyPtr None() { return nullptr; }

class SwitchingTest
    : public ::testing::TestWithParam<std::tuple<Switch, Layout>> {
 protected:
  // Reads all rows and absent keys from one file, with Get and two kinds of
  // MultiGet. Every read must ask the file's filter if `with_filters`, and
  // otherwise none.
  static void ExpectReads(TestDb* db, const Dataset& dataset,
                          bool with_filters) {
    db->ResetStatistics();
    EXPECT_TRUE(PointReadsMatch(db->source(), dataset));
    const uint64_t negatives = db->Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    const uint64_t positives = db->Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    if (with_filters) {
      EXPECT_GT(negatives, 3 * dataset.absent.size() * 98 / 100);
      EXPECT_EQ(negatives + positives,
                3 * (dataset.absent.size() + dataset.rows.size()));
    } else {
      EXPECT_EQ(negatives, 0);
      EXPECT_EQ(positives, 0);
    }
  }
};

TEST_P(SwitchingTest, LosesNoRow) {
  const Switch& change = std::get<Switch>(GetParam());
  const Layout layout = std::get<Layout>(GetParam());
  Dataset dataset = NumberedDataset(3000, 3000);
  TestDb db(DbOptions(change.from(), layout));
  db.Put(dataset.rows);
  db.Flush();

  db.Reopen(DbOptions(change.to(), layout));
  {
    SCOPED_TRACE("a file of the one, the policy of the other");
    ExpectReads(&db, dataset, change.reads_the_filters_of_from);
  }

  Rows newer;
  for (uint32_t i = 2500; i < 3500; ++i) {
    newer[NumberedKey(i)] = "newer";
    dataset.rows[NumberedKey(i)] = "newer";
  }
  db.Put(newer);
  db.Flush();
  {
    SCOPED_TRACE("a file of each");
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
  }

  db.Compact();
  SCOPED_TRACE("after a compaction");
  ExpectReads(&db, dataset, change.writes_filters);
}

INSTANTIATE_TEST_SUITE_P(
    All, SwitchingTest,
    ::testing::Combine(
        ::testing::Values(Switch{"BuiltinToOurs", Builtin, Ours, false, true},
                          Switch{"OursToBuiltin", Ours, Builtin, false, true},
                          Switch{"OursToNone", Ours, None, false, false},
                          Switch{"NoneToOurs", None, Ours, false, true},
                          Switch{"OursToOursOfAnotherSize", Ours, OursLarger,
                                 true, true}),
        ::testing::Values(Layout::kFull, Layout::kPartitionedCached)),
    [](const auto& test) {
      return std::string(std::get<Switch>(test.param).name) + "_" +
             ToString(std::get<Layout>(test.param));
    });

// After a switch back without a compaction, the old filters are used again.
TEST(SwitchingBackTest, FindsTheFiltersAgain) {
  const Dataset dataset = NumberedDataset(3000, 3000);
  TestDb db(DbOptions(OurPolicy()));
  db.Put(dataset.rows);
  db.Flush();
  db.Reopen(DbOptions(BuiltinPolicy()));
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  db.Reopen(DbOptions(OurPolicy()));
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL), 3000 * 98 / 100);
  EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE), 3000);
}

}  // namespace
}  // namespace cassandra_bloom::testing
