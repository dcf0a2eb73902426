// SPDX-License-Identifier: Apache-2.0

// Makes random writes of every kind, and compares the rows with a map. Also
// compares the rows of snapshots.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/snapshot.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kNumKeys = 1500;
constexpr size_t kNumberedPrefixSize = 8;  // "key%06u" without the last digit.

class OperationsTest : public ::testing::TestWithParam<
                           std::tuple<Layout, /*whole_key_filtering=*/bool>> {
 protected:
  OperationsTest() : db_(Options()) {}

  static rocksdb::Options Options() {
    rocksdb::BlockBasedTableOptions table_options =
        TableOptions(OurPolicy(), std::get<Layout>(GetParam()));
    table_options.whole_key_filtering = std::get<bool>(GetParam());
    rocksdb::Options options = DbOptions(table_options);
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kNumberedPrefixSize));
    Require(rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "stringappend", &options.merge_operator));
    return options;
  }

  uint32_t Random(uint32_t limit) {
    return static_cast<uint32_t>(NextRandom(&random_) % limit);
  }

  std::string RandomKey() { return NumberedKey(Random(kNumKeys)); }

  void Put(const std::string& key) {
    const std::string value = "put " + std::to_string(++num_writes_);
    Require(db_->Put(write_options_, key, value));
    rows_[key] = value;
  }

  void Merge(const std::string& key) {
    const std::string operand = "merge " + std::to_string(++num_writes_);
    Require(db_->Merge(write_options_, key, operand));
    const auto [row, is_new] = rows_.emplace(key, operand);
    if (!is_new) {
      row->second += "," + operand;
    }
  }

  void Delete(const std::string& key) {
    Require(db_->Delete(write_options_, key));
    rows_.erase(key);
  }

  void DeleteRange(const std::string& begin, const std::string& end) {
    Require(db_->DeleteRange(write_options_, db_->DefaultColumnFamily(), begin,
                             end));
    rows_.erase(rows_.lower_bound(begin), rows_.lower_bound(end));
  }

  void WriteSomething() {
    const uint32_t dice = Random(100);
    if (dice == 0) {
      const uint32_t begin = Random(kNumKeys);
      DeleteRange(NumberedKey(begin), NumberedKey(begin + Random(40)));
    } else if (dice <= 25) {
      Delete(RandomKey());
    } else if (dice <= 50) {
      Merge(RandomKey());
    } else {
      Put(RandomKey());
    }
  }

  void TakeSnapshot() { snapshots_.push_back({db_->GetSnapshot(), rows_}); }

  static Dataset DatasetOf(const Rows& rows) {
    Dataset dataset = {rows, {}};
    for (uint32_t i = 0; i < kNumKeys; ++i) {
      if (rows.count(NumberedKey(i)) == 0) {
        dataset.absent.push_back(NumberedKey(i));
      }
    }
    return dataset;
  }

  void ExpectMatch(const Rows& rows, const rocksdb::Snapshot* snapshot) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    const Dataset dataset = DatasetOf(rows);
    EXPECT_TRUE(PointReadsMatch(db_.source(options), dataset));
    EXPECT_TRUE(SeeksMatch(db_.source(options), dataset,
                           db_.options().prefix_extractor.get()));
  }

  void ExpectAllMatch() {
    ExpectMatch(rows_, nullptr);
    for (size_t i = 0; i < snapshots_.size(); ++i) {
      SCOPED_TRACE("snapshot " + std::to_string(i));
      ExpectMatch(snapshots_[i].rows, snapshots_[i].snapshot);
    }
  }

  struct Snapshot {
    const rocksdb::Snapshot* snapshot;
    Rows rows;
  };

  TestDb db_;
  Rows rows_;
  std::vector<Snapshot> snapshots_;
  uint64_t random_ = 8;
  int num_writes_ = 0;
  const rocksdb::WriteOptions write_options_;
};

TEST_P(OperationsTest, RandomWrites) {
  SCOPED_TRACE("seed " + std::to_string(random_));
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (int flush = 0; flush < 3; ++flush) {
      for (int i = 0; i < 400; ++i) {
        WriteSomething();
      }
      if (flush == 1) {
        TakeSnapshot();
      }
      db_.Flush();
    }
    if (round % 2 == 0) {
      db_.Compact();
    }
  }
  ExpectAllMatch();
  db_.Compact();
  ExpectAllMatch();
  for (const Snapshot& snapshot : snapshots_) {
    db_->ReleaseSnapshot(snapshot.snapshot);
  }
  snapshots_.clear();
  db_.Compact();
  db_.Reopen();
  ExpectAllMatch();
  EXPECT_GT(db_.SeeksFiltered(), 0);
}

// RocksDB requires that a key is put only once between two single deletions.
TEST_P(OperationsTest, SingleDeletes) {
  for (int round = 0; round < 4; ++round) {
    for (uint32_t i = 0; i < kNumKeys; ++i) {
      const std::string key = NumberedKey(i);
      if (Random(2) == 0) {
        continue;
      }
      if (rows_.erase(key) == 0) {
        Put(key);
      } else {
        Require(db_->SingleDelete(write_options_, key));
      }
    }
    db_.Flush();
  }
  ExpectAllMatch();
  db_.Compact();
  db_.Reopen();
  ExpectAllMatch();
}

// The filter of a range deletion's file contains none of the deleted keys.
TEST_P(OperationsTest, RangeDeletionAlone) {
  for (uint32_t i = 0; i < kNumKeys; ++i) {
    Put(NumberedKey(i));
  }
  db_.Compact();
  DeleteRange(NumberedKey(100), NumberedKey(200));
  db_.Flush();
  Put(NumberedKey(150));
  DeleteRange(NumberedKey(300), NumberedKey(1299));
  db_.Flush();
  ExpectAllMatch();
  db_.Reopen();
  ExpectAllMatch();
  db_.Compact();
  ExpectAllMatch();
}

INSTANTIATE_TEST_SUITE_P(
    All, OperationsTest,
    ::testing::Combine(::testing::Values(Layout::kFull,
                                         Layout::kPartitionedCached),
                       ::testing::Bool()),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) +
             (std::get<bool>(test.param) ? "_Both" : "_Prefixes");
    });

}  // namespace
}  // namespace cassandra_bloom::testing
