// SPDX-License-Identifier: Apache-2.0

// Tests filters of partition keys with malformed keys and changed extractors.

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

enum class Filtered { kWholeKeys, kPrefixes, kBoth };

rocksdb::Options OptionsFor(PolicyPtr policy, Layout layout, Filtered filtered,
                            const std::string& prefixes_of) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(std::move(policy), layout);
  table_options.whole_key_filtering = filtered != Filtered::kPrefixes;
  rocksdb::Options options = DbOptions(table_options);
  if (filtered != Filtered::kWholeKeys) {
    Require(rocksdb::NewCassandraPartitionTransform(prefixes_of,
                                                    &options.prefix_extractor));
  }
  return options;
}

// Many bytes of the keys are small, so that they look like lengths.
Dataset HostileDataset(uint64_t seed) {
  Dataset dataset;
  std::set<std::string> candidates;
  const auto add = [&](const std::string& key, bool present) {
    if (present) {
      dataset.rows[key] = ValueOf(key.substr(0, 100));
    } else {
      candidates.insert(key);
    }
  };
  add("", true);
  for (const char byte : {'\0', '\1', '\xFF'}) {
    add(std::string(65535, byte), true);
    add(std::string(65536, byte), true);
    add(std::string(65537, byte), false);
  }
  for (int byte = 0; byte < 256; ++byte) {
    add(std::string(1, static_cast<char>(byte)), byte % 2 == 0);
    add(std::string(2, static_cast<char>(byte)), byte % 3 == 0);
    add(std::string(1, '\0') + static_cast<char>(byte) + "key", byte % 5 != 0);
  }
  const RandomKeys keys(seed, 14);
  uint64_t random = seed;
  for (uint64_t i = 0; i < 1000; ++i) {
    std::string key = keys[i];
    for (char& byte : key) {
      const uint64_t kind = NextRandom(&random) % 8;
      byte = kind < 4 ? static_cast<char>(kind) : kind < 6 ? '\xFF' : byte;
    }
    add(key, i % 2 == 0);
  }
  for (const std::string& key : candidates) {
    if (dataset.rows.count(key) == 0) {
      dataset.absent.push_back(key);
    }
  }
  return dataset;
}

class HostileKeysTest
    : public ::testing::TestWithParam<std::tuple<const char*, Layout>> {};

TEST_P(HostileKeysTest, EveryReadMatches) {
  const auto& [partition_key, layout] = GetParam();
  SCOPED_TRACE(Seed());
  const Dataset dataset = HostileDataset(Seed());
  std::set<Filtered> modes = {Filtered::kWholeKeys};
  if (std::string(partition_key) != "whole" &&
      std::string(partition_key) != "skip:2") {  // These two have no prefixes.
    modes = {Filtered::kWholeKeys, Filtered::kPrefixes, Filtered::kBoth};
  }
  uint64_t num_useful = 0;
  for (const Filtered filtered : modes) {
    SCOPED_TRACE(static_cast<int>(filtered));
    TestDb db(
        OptionsFor(PolicyFor(partition_key), layout, filtered, partition_key));
    db.Put(dataset.rows);
    db.Flush();
    for (const char* const when : {"flushed", "compacted, reopened"}) {
      SCOPED_TRACE(when);
      const auto* const extractor = db.options().prefix_extractor.get();
      EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
      EXPECT_TRUE(SeeksMatch(db.source(), dataset, extractor));
      // RocksDB before 9.5 loses rows in SeekForPrev over partitioned filters
      // of prefixes only (facebook/rocksdb#12872).
      if (filtered != Filtered::kPrefixes || !IsPartitioned(layout)) {
        EXPECT_TRUE(
            SeeksMatch(db.source(), dataset, extractor, Direction::kBackward));
      }
      db.Compact();
      db.Reopen();
    }
    num_useful += db.Ticker(rocksdb::BLOOM_FILTER_USEFUL) +
                  db.Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  }
  EXPECT_GT(num_useful, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileKeysTest,
    ::testing::Combine(
        ::testing::Values("whole", "skip:2", "fixed:3", "skip:2,fixed:2", "u16",
                          "skip:2,u16", "composite:2", "skip:1,composite:1"),
        ::testing::Values(Layout::kFull, Layout::kPartitionedCached)));

// ---- Changing the extractor ----

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
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    for (const char* const written_with : kChanging) {
      for (const char* const read_with : kChanging) {
        SCOPED_TRACE(std::string(written_with) + " read with " + read_with);
        TestDb db(OptionsFor(PolicyFor(written_with), layout,
                             Filtered::kWholeKeys, ""));
        db.Put(dataset.rows);
        db.Flush();
        db.Reopen(
            OptionsFor(PolicyFor(read_with), layout, Filtered::kWholeKeys, ""));
        EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
        const bool same = std::string(written_with) == read_with;
        EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL) > 0, same);
        EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) > 0, same);
        db.Compact();
        db.Reopen();
        db.ResetStatistics();
        EXPECT_TRUE(PointReadsMatch(db.source(), dataset));
        EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL),
                  dataset.absent.size());
      }
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
