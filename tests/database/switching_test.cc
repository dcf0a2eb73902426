// SPDX-License-Identifier: Apache-2.0

// Changes the policy of a database while its files stay. No row may be lost.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/support/partition_layouts.h"
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

struct Switch {
  const char* name;
  PolicyPtr (*from)();
  PolicyPtr (*to)();
  Filters filters_of_from;
  bool writes_filters;
};

PolicyPtr Ours() { return OurPolicy(); }
PolicyPtr OursLarger() { return OurPolicy(15.5); }
PolicyPtr Beside() { return OurPolicyBesideRocksdb(); }
PolicyPtr BesideLarger() { return OurPolicyBesideRocksdb(15.5); }
PolicyPtr Builtin() { return BuiltinPolicy(); }
PolicyPtr Ribbon() { return BuiltinRibbonPolicy(); }
PolicyPtr None() { return nullptr; }

constexpr Filters kAreUsed = Filters::kAreUsed;
constexpr Filters kMatchEveryKey = Filters::kMatchEveryKey;
constexpr Filters kAreNotSeen = Filters::kAreNotSeen;
constexpr Switch kSwitches[] = {
    {"BuiltinToOurs", Builtin, Ours, kAreNotSeen, true},
    {"OursToBuiltin", Ours, Builtin, kAreNotSeen, true},
    {"OursToNone", Ours, None, kAreNotSeen, false},
    {"NoneToOurs", None, Ours, kAreNotSeen, true},
    {"OursToOursOfAnotherSize", Ours, OursLarger, kAreUsed, true},
    {"BuiltinToBeside", Builtin, Beside, kAreUsed, true},
    {"RibbonToBeside", Ribbon, Beside, kAreUsed, true},
    {"BesideToBuiltin", Beside, Builtin, kMatchEveryKey, true},
    {"BesideToRibbon", Beside, Ribbon, kMatchEveryKey, true},
    {"BesideToNone", Beside, None, kAreNotSeen, false},
    {"NoneToBeside", None, Beside, kAreNotSeen, true},
    {"BesideToBesideOfAnotherSize", Beside, BesideLarger, kAreUsed, true},
    {"OursToBeside", Ours, Beside, kAreNotSeen, true},
    {"BesideToOurs", Beside, Ours, kAreNotSeen, true},
};

class SwitchingTest
    : public ::testing::TestWithParam<std::tuple<Switch, Layout>> {
 protected:
  static void ExpectReads(TestDb* db, const Dataset& dataset, Filters filters) {
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
};

TEST_P(SwitchingTest, LosesNoRow) {
  const Switch& change = std::get<Switch>(GetParam());
  const Layout layout = std::get<Layout>(GetParam());
  Dataset dataset = NumberedDataset(3000, 3000);
  TestDb db(DbOptions(change.from(), layout), dataset.rows);

  db.Reopen(DbOptions(change.to(), layout));
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
              change.writes_filters ? Filters::kAreUsed : Filters::kAreNotSeen);
}

INSTANTIATE_TEST_SUITE_P(
    All, SwitchingTest,
    ::testing::Combine(::testing::ValuesIn(kSwitches),
                       ::testing::Values(Layout::kFull,
                                         Layout::kPartitionedCached)),
    [](const auto& test) {
      return std::string(std::get<Switch>(test.param).name) + "_" +
             ToString(std::get<Layout>(test.param));
    });

// ---- Another partition key ----

constexpr const char* kChanging[] = {"whole", "skip:8,u16", "skip:8", "fixed:8",
                                     "skip:8,fixed:10"};

Dataset TokenDataset() {
  Dataset dataset;
  const PartitionLayout& layout = kPartitionLayouts[0];
  for (uint64_t partition = 0; partition < 100; ++partition) {
    for (uint64_t row = 0; row < 3; ++row) {
      const std::string key = StorageKey(layout, 2 * partition, row);
      dataset.rows[key] = ValueOf(key);
      dataset.absent.push_back(StorageKey(layout, 2 * partition + 1, row));
    }
  }
  return dataset;
}

TEST(ChangedPartitionKeyTest, NoOldFilterIsUsedUntilCompaction) {
  const Dataset dataset = TokenDataset();
  for (const char* const written_with : kChanging) {
    for (const char* const read_with : kChanging) {
      SCOPED_TRACE(std::string(written_with) + " read with " + read_with);
      TestDb db(DbOptions(PolicyFor(written_with)), dataset.rows);
      db.Reopen(DbOptions(PolicyFor(read_with)));
      EXPECT_TRUE(ReadsMatch(db.source(), dataset));
      const bool same = std::string(written_with) == read_with;
      EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL) > 0, same);
      EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) > 0, same);
      db.Compact();
      db.Reopen();
      db.ResetStatistics();
      EXPECT_TRUE(ReadsMatch(db.source(), dataset));
      EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL), dataset.absent.size());
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
