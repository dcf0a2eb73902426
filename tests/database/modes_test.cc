// SPDX-License-Identifier: Apache-2.0

// Compares reads with a plain map, for every way in which RocksDB builds and
// asks filters, also for files without keys, files with one key, and keys of
// 64 KB and more.

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

enum class Filtered { kWholeKeys, kPrefixes, kBoth };

std::string ToString(Filtered filtered) {
  switch (filtered) {
    case Filtered::kWholeKeys:
      return "WholeKeys";
    case Filtered::kPrefixes:
      return "Prefixes";
    case Filtered::kBoth:
      return "Both";
  }
  return "Unknown";
}

rocksdb::Options OptionsFor(rocksdb::BlockBasedTableOptions table_options,
                            Filtered filtered) {
  table_options.whole_key_filtering = filtered != Filtered::kPrefixes;
  rocksdb::Options options = DbOptions(table_options);
  CompressInParallel(&options);
  if (filtered != Filtered::kWholeKeys) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
  }
  return options;
}

// Writes three files with overlapping key ranges, and leaves the newest rows in
// the memtable.
void WriteHistory(TestDb* db, const Dataset& dataset) {
  constexpr size_t kGenerations = 3;
  Rows stale;
  for (const std::string& key : dataset.absent) {
    if (key.size() % 2 == 0) {
      stale[key] = "to be deleted";
    }
  }
  for (size_t generation = 0; generation <= kGenerations; ++generation) {
    Rows rows;
    size_t i = 0;
    for (const auto& [key, value] : dataset.rows) {
      const size_t last_write = i++ % (kGenerations + 1);
      if (generation == last_write) {
        rows[key] = value;
      } else if (generation < last_write && i % 3 == 0) {
        rows[key] = "stale";
      }
    }
    if (generation == 0) {
      rows.insert(stale.begin(), stale.end());
    } else if (generation == 1) {
      for (const auto& row : stale) {
        Require((*db)->Delete(rocksdb::WriteOptions(), row.first));
      }
    }
    db->Put(rows);
    if (generation < kGenerations) {
      db->Flush();
    }
  }
}

class ModesTest
    : public ::testing::TestWithParam<std::tuple<Layout, Filtered>> {
 protected:
  Layout layout() const { return std::get<0>(GetParam()); }
  Filtered filtered() const { return std::get<1>(GetParam()); }

  rocksdb::Options OptionsWith(PolicyPtr policy) const {
    return OptionsFor(TableOptions(std::move(policy), layout()), filtered());
  }

  // With partitioned filters of prefixes only, RocksDB before 9.5 loses rows in
  // SeekForPrev with every policy (facebook/rocksdb#12872).
  bool SeekForPrevIsUnreliable() const {
    return CASSANDRA_BLOOM_ROCKSDB_RELEASE < 905 &&
           filtered() == Filtered::kPrefixes && IsPartitioned(layout());
  }

  void ExpectAllReadsMatch(const TestDb& db, const Dataset& dataset) {
    const rocksdb::SliceTransform* const extractor =
        db.options().prefix_extractor.get();
    EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
    EXPECT_TRUE(SeeksMatch(db.source(), dataset, extractor));
    if (!SeekForPrevIsUnreliable()) {
      EXPECT_TRUE(
          SeeksMatch(db.source(), dataset, extractor, Direction::kBackward));
    }
  }

  // Also after reopening and after a compaction. The statistics are then those
  // of the compacted file.
  void ExpectAllReadsAlwaysMatch(TestDb* db, const Dataset& dataset) {
    {
      SCOPED_TRACE("as written");
      ExpectAllReadsMatch(*db, dataset);
    }
    db->Reopen();
    {
      SCOPED_TRACE("reopened");
      ExpectAllReadsMatch(*db, dataset);
    }
    db->Compact();
    db->Reopen();
    db->ResetStatistics();
    SCOPED_TRACE("compacted, reopened");
    ExpectAllReadsMatch(*db, dataset);
  }
};

TEST_P(ModesTest, EveryReadMatches) {
  constexpr uint64_t kSeed = 1;
  const Dataset dataset = PrefixedDataset(kSeed, 300, 6, 300);
  for (const PolicyPtr& policy : {OurPolicy(), OurPolicyBesideRocksdb()}) {
    SCOPED_TRACE(policy->GetId());
    TestDb db(OptionsWith(policy));
    WriteHistory(&db, dataset);
    {
      SCOPED_TRACE("three files and a memtable");
      ExpectAllReadsMatch(db, dataset);
    }
    db.Flush();
    ExpectAllReadsAlwaysMatch(&db, dataset);
    EXPECT_GT(db.ReadsFiltered(), 0);
    if (filtered() != Filtered::kWholeKeys) {
      EXPECT_GT(db.SeeksFiltered(), 0);
    }
    if (IsPartitioned(layout())) {
      EXPECT_GT(db.OnlyTable()->index_partitions, 5);
    }
  }
}

// All keys are outside the domain of the prefix extractor. So in the mode
// kPrefixes, the partitions of a filter have no entries.
TEST_P(ModesTest, OnlyKeysOutOfTheDomain) {
  const Dataset dataset = PrefixedDataset(2, 300, 0, 600);
  for (const PolicyPtr& policy : {OurPolicy(), OurPolicyBesideRocksdb()}) {
    SCOPED_TRACE(policy->GetId());
    TestDb db(OptionsWith(policy));
    db.Put(dataset.rows);
    db.Flush();
    ExpectAllReadsAlwaysMatch(&db, dataset);
    if (filtered() != Filtered::kPrefixes) {
      // Each absent key is read three times: by Get and by two kinds of
      // MultiGet.
      EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL),
                3 * dataset.absent.size() * 95 / 100);
    }
    db.Reopen(OptionsWith(BuiltinPolicy()));
    {
      SCOPED_TRACE("read by RocksDB's own");
      ExpectAllReadsMatch(db, dataset);
    }
    db.Compact();
    db.Reopen(OptionsWith(policy));
    SCOPED_TRACE("compacted by RocksDB's own");
    ExpectAllReadsMatch(db, dataset);
  }
}

// ---- Files of a special size ----

TEST_P(ModesTest, NoKeyAtAll) {
  TestDb db(OptionsWith(OurPolicy()));
  Require(db->DeleteRange(rocksdb::WriteOptions(), db->DefaultColumnFamily(),
                          NumberedKey(10), NumberedKey(20)));
  db.Flush();
  EXPECT_EQ(db.OnlyTable()->num_entries, db.OnlyTable()->num_range_deletions);
  ExpectAllReadsAlwaysMatch(
      &db, {{}, {NumberedKey(10), NumberedKey(15), NumberedKey(20)}});
}

TEST_P(ModesTest, OneKey) {
  TestDb db(OptionsWith(OurPolicy()));
  const Dataset dataset = {{{"key b", "value"}}, {"key a", "key c", "other"}};
  db.Put(dataset.rows);
  db.Flush();
  ExpectAllReadsAlwaysMatch(&db, dataset);
}

// The largest key length that fits into two bytes is 65535.
TEST_P(ModesTest, LongKeys) {
  Dataset dataset;
  for (const size_t size : {65534u, 65535u, 65536u, 65537u, 200000u}) {
    for (int i = 0; i < 12; ++i) {
      const std::string key =
          std::string(size, static_cast<char>(0x80 + i)) + static_cast<char>(i);
      if (i % 3 == 0) {
        dataset.absent.push_back(key);
      } else {
        dataset.rows[key] = "value";
      }
    }
  }
  TestDb db(OptionsWith(OurPolicy()));
  db.Put(dataset.rows);
  db.Flush();
  ExpectAllReadsAlwaysMatch(&db, dataset);
  EXPECT_GT(db.ReadsFiltered(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModesTest,
    ::testing::Combine(::testing::ValuesIn(AllLayouts()),
                       ::testing::Values(Filtered::kWholeKeys,
                                         Filtered::kPrefixes, Filtered::kBoth)),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) + "_" +
             ToString(std::get<Filtered>(test.param));
    });

}  // namespace
}  // namespace cassandra_bloom::testing
