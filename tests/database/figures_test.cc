// SPDX-License-Identifier: Apache-2.0

// What RocksDB's statistics and table properties say of filters.

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

// A naive filter tells how many absent keys a filter of 7 probes rejects.
TEST(FiguresTest, GetAndMultiGetAreFilteredAlike) {
  const Dataset dataset = NumberedDataset(5000, 20000);
  TestDb db(DbOptions(OurPolicy()));
  db.Put(dataset.rows);
  db.Flush();
  const uint64_t expected = ExpectedNegatives(dataset, /*num_probes=*/7);
  EXPECT_GT(expected, dataset.absent.size() * 98 / 100);
  const auto expect_filtered = [&] {
    EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL), expected);
    EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE),
              dataset.rows.size());
    db.ResetStatistics();
  };
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  expect_filtered();
  for (const bool sorted : {false, true}) {
    EXPECT_TRUE(MultiGetsMatch(db.source(), dataset, sorted));
    expect_filtered();
  }
}

// Every second prefix has rows. A prefix is "key%06u" without its last digit.
TEST(FiguresTest, AbsentPrefixesAreFiltered) {
  constexpr uint32_t kNumPrefixes = 1000;
  for (const bool whole_keys : {true, false}) {
    SCOPED_TRACE(whole_keys);
    rocksdb::BlockBasedTableOptions table_options = TableOptions(OurPolicy());
    table_options.whole_key_filtering = whole_keys;
    rocksdb::Options options = DbOptions(table_options);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
    TestDb db(options);
    Dataset present;
    Dataset absent;
    for (uint32_t i = 0; i < 2 * kNumPrefixes * 10; ++i) {
      const std::string key = NumberedKey(i);
      if (i / 10 % 2 == 0) {
        present.rows[key] = ValueOf(key);
      } else if (i % 10 == 5) {
        absent.absent.push_back(key);
      }
    }
    db.Put(present.rows);
    db.Flush();
    // RocksDB before 9.6 adds an empty key to prefixes alone, and adds the
    // first prefix twice.
    const uint64_t num_entries =
        kNumPrefixes + (whole_keys ? present.rows.size()
                        : CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT ? 0
                                                              : 2);
    EXPECT_EQ(db.OnlyTable()->num_filter_entries, num_entries);
    EXPECT_EQ(db.OnlyTable()->filter_size, 8 + 8 * NumWords(num_entries));
    // SeeksMatch seeks each key twice.
    const auto* const extractor = options.prefix_extractor.get();
    EXPECT_TRUE(SeeksMatch(db.source(), present, extractor));
    EXPECT_EQ(db.SeeksChecked(), 2 * present.rows.size());
    EXPECT_EQ(db.SeeksFiltered(), 0u);
    db.ResetStatistics();
    EXPECT_TRUE(SeeksMatch(db.source(), absent, extractor));
    EXPECT_GT(db.SeeksFiltered(), 2 * kNumPrefixes * 98 / 100);
    db.ResetStatistics();
    EXPECT_TRUE(GetsMatch(db.source(), absent));
    EXPECT_GT(db.ReadsFiltered(), kNumPrefixes * 98 / 100);
  }
}

TEST(FiguresTest, VersionsOfAKeyAreOneEntry) {
  const Dataset dataset = NumberedDataset(1000, 0);
  TestDb db(DbOptions(OurPolicy()));
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (int version = 0; version < 3; ++version) {
    db.Put(dataset.rows);
    snapshots.push_back(db->GetSnapshot());
  }
  db.Flush();
  EXPECT_EQ(db.OnlyTable()->num_entries, 3000);
  EXPECT_EQ(db.OnlyTable()->num_filter_entries, 1000);
  for (const rocksdb::Snapshot* snapshot : snapshots) {
    db->ReleaseSnapshot(snapshot);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
