// SPDX-License-Identifier: Apache-2.0

// Tests RocksDB's statistics, perf context and table properties.

#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kNumRows = 5000;
constexpr uint32_t kNumAbsent = 20000;

struct Figures {
  uint64_t useful;
  uint64_t full_positive;
  uint64_t full_true_positive;
  uint64_t sst_hit;
  uint64_t sst_miss;

  bool operator==(const Figures& other) const {
    return useful == other.useful && full_positive == other.full_positive &&
           full_true_positive == other.full_true_positive &&
           sst_hit == other.sst_hit && sst_miss == other.sst_miss;
  }

  friend std::ostream& operator<<(std::ostream& out, const Figures& figures) {
    return out << "useful " << figures.useful << ", full positive "
               << figures.full_positive << ", full true positive "
               << figures.full_true_positive << ", sst hit " << figures.sst_hit
               << ", sst miss " << figures.sst_miss;
  }
};

template <typename Reading>
Figures FiguresOf(TestDb* db, Reading reading) {
  db->ResetStatistics();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  reading();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  return {db->Ticker(rocksdb::BLOOM_FILTER_USEFUL),
          db->Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
          db->Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE),
          rocksdb::get_perf_context()->bloom_sst_hit_count,
          rocksdb::get_perf_context()->bloom_sst_miss_count};
}

class PointReadFiguresTest : public ::testing::Test {
 protected:
  PointReadFiguresTest() : db_(DbOptions(OurPolicy())) {
    db_.Put(dataset_.rows);
    db_.Flush();
    negatives_ = ExpectedNegatives(dataset_, /*num_probes=*/7);
  }

  Dataset OnlyPresent() const { return {dataset_.rows, {}}; }
  Dataset OnlyAbsent() const { return {{}, dataset_.absent}; }

  // Every read asks the filter of the only file once.
  Figures Expected() const {
    const uint64_t positives = kNumRows + kNumAbsent - negatives_;
    return {negatives_, positives, kNumRows, positives, negatives_};
  }

  const Dataset dataset_ = NumberedDataset(kNumRows, kNumAbsent);
  TestDb db_;
  uint64_t negatives_;
};

TEST_F(PointReadFiguresTest, PresentRows) {
  const Figures expected = {0, kNumRows, kNumRows, kNumRows, 0};
  EXPECT_EQ(
      FiguresOf(&db_,
                [&] { EXPECT_TRUE(GetsMatch(db_.source(), OnlyPresent())); }),
      expected);
}

TEST_F(PointReadFiguresTest, AbsentRows) {
  const uint64_t positives = kNumAbsent - negatives_;
  EXPECT_GT(negatives_, kNumAbsent * 98 / 100);
  // A Bloom filter with 10 bits per key has some false positives. If there were
  // none, something other than the filter would have rejected the keys.
  EXPECT_GT(positives, 0);
  const Figures expected = {negatives_, positives, 0, positives, negatives_};
  EXPECT_EQ(
      FiguresOf(&db_,
                [&] { EXPECT_TRUE(GetsMatch(db_.source(), OnlyAbsent())); }),
      expected);
}

TEST_F(PointReadFiguresTest, AreTheSameForGetAndMultiGet) {
  EXPECT_EQ(
      FiguresOf(&db_, [&] { EXPECT_TRUE(GetsMatch(db_.source(), dataset_)); }),
      Expected());
  for (const bool sorted : {false, true}) {
    SCOPED_TRACE(sorted ? "sorted" : "unsorted");
    EXPECT_EQ(
        FiguresOf(&db_,
                  [&] {
                    EXPECT_TRUE(MultiGetsMatch(db_.source(), dataset_, sorted));
                  }),
        Expected());
  }
}

TEST_F(PointReadFiguresTest, OutlastReopeningAndCompaction) {
  db_.Reopen();
  EXPECT_EQ(
      FiguresOf(&db_, [&] { EXPECT_TRUE(GetsMatch(db_.source(), dataset_)); }),
      Expected());
  db_.Compact();
  EXPECT_EQ(
      FiguresOf(&db_, [&] { EXPECT_TRUE(GetsMatch(db_.source(), dataset_)); }),
      Expected());
}

class SeekFiguresTest
    : public ::testing::TestWithParam</*whole_key_filtering=*/bool> {};

TEST_P(SeekFiguresTest, PrefixesCheckedAndUseful) {
  constexpr uint32_t kRowsPerPrefix = 10;
  constexpr uint32_t kNumPrefixes = 1000;
  // A prefix is "key%06u" without its last digit.
  constexpr size_t kNumberedPrefixSize = 8;
  rocksdb::BlockBasedTableOptions table_options = TableOptions(OurPolicy());
  table_options.whole_key_filtering = GetParam();
  rocksdb::Options options = DbOptions(table_options);
  options.prefix_extractor.reset(
      rocksdb::NewFixedPrefixTransform(kNumberedPrefixSize));
  TestDb db(options);
  // Every second prefix has rows.
  Dataset present;
  Dataset absent;
  for (uint32_t i = 0; i < 2 * kNumPrefixes * kRowsPerPrefix; ++i) {
    const std::string key = NumberedKey(i);
    if (i / kRowsPerPrefix % 2 == 0) {
      present.rows[key] = ValueOf(key);
    } else if (i % kRowsPerPrefix == 5) {
      absent.absent.push_back(key);
    }
  }
  db.Put(present.rows);
  db.Flush();

  const uint64_t num_rows = kNumPrefixes * kRowsPerPrefix;
  const uint64_t num_entries =
      GetParam() ? num_rows + kNumPrefixes
                 // RocksDB before 9.6 also adds an empty key, and adds the
                 // first prefix twice.
                 : kNumPrefixes + (CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT ? 0 : 2);
  const auto table = db.OnlyTable();
  EXPECT_EQ(table->num_filter_entries, num_entries);
  EXPECT_EQ(table->filter_size, 8 + 8 * NumWords(num_entries));

  const rocksdb::SliceTransform* const extractor =
      options.prefix_extractor.get();
  // SeeksMatch seeks each key twice: with prefix_same_as_start and without.
  db.ResetStatistics();
  EXPECT_TRUE(SeeksMatch(db.source(), present, extractor));
  EXPECT_EQ(db.SeeksChecked(), 2 * num_rows);
  EXPECT_EQ(db.SeeksFiltered(), 0);
  EXPECT_TRUE(SeeksForPrevMatch(db.source(), present, extractor));
  EXPECT_EQ(db.SeeksChecked(), 4 * num_rows);
  EXPECT_EQ(db.SeeksFiltered(), 0);

  db.ResetStatistics();
  EXPECT_TRUE(SeeksMatch(db.source(), absent, extractor));
  EXPECT_EQ(db.SeeksChecked(), 2 * kNumPrefixes);
  EXPECT_GT(db.SeeksFiltered(), 2 * kNumPrefixes * 98 / 100);

  // Get asks for the whole key if the filter has whole keys, else for the
  // prefix.
  Figures figures =
      FiguresOf(&db, [&] { EXPECT_TRUE(GetsMatch(db.source(), absent)); });
  if (!GetParam() && CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 803) {
    // Since 8.3, RocksDB counts Get's look-ups of prefixes in tickers for
    // prefixes (facebook/rocksdb#11460).
    figures.useful = db.Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
    figures.full_positive =
        db.Ticker(rocksdb::BLOOM_FILTER_PREFIX_CHECKED) - figures.useful;
  }
  EXPECT_EQ(figures.useful + figures.full_positive, kNumPrefixes);
  EXPECT_GT(figures.useful, kNumPrefixes * 98 / 100);
  EXPECT_EQ(figures.sst_miss, figures.useful);
  EXPECT_EQ(figures.sst_hit, figures.full_positive);

  // Every RocksDB release counts MultiGet's look-ups of prefixes in tickers for
  // prefixes.
  const Figures batched = FiguresOf(&db, [&] {
    EXPECT_TRUE(MultiGetsMatch(db.source(), absent, /*sorted=*/false));
  });
  EXPECT_EQ(batched.sst_miss, figures.sst_miss);
  EXPECT_EQ(batched.sst_hit, figures.sst_hit);
  if (GetParam()) {
    EXPECT_EQ(batched.useful, figures.useful);
  } else {
    EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_PREFIX_CHECKED), kNumPrefixes);
    EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL), figures.useful);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SeekFiguresTest, ::testing::Bool(),
                         [](const auto& test) {
                           return test.param ? "Both" : "Prefixes";
                         });

// ---- Table properties ----

TEST(TablePropertiesTest, FullFilter) {
  // Some numbers are near 4095, because the builder stores hashes in chunks of
  // 4095 entries.
  for (const uint32_t n : {1u, 10u, 999u, 4095u, 4096u, 8191u}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const Dataset dataset = {NumberedDataset(n, 0).rows, {"absent"}};
    TestDb db(DbOptions(OurPolicy()));
    db.Put(dataset.rows);
    db.Flush();
    const auto table = db.OnlyTable();
    EXPECT_EQ(table->num_entries, n);
    EXPECT_EQ(table->num_filter_entries, n);
    EXPECT_EQ(table->filter_size, 8 + 8 * NumWords(n));
    EXPECT_EQ(table->filter_policy_name, "cassandra_bloom");
    EXPECT_TRUE(GetsMatch(db.source(), dataset));
  }
}

// All versions of a key are one filter entry.
TEST(TablePropertiesTest, VersionsCountOnce) {
  const Dataset dataset = NumberedDataset(1000, 0);
  TestDb db(DbOptions(OurPolicy()));
  std::vector<const rocksdb::Snapshot*> snapshots;
  for (int version = 0; version < 3; ++version) {
    db.Put(dataset.rows);
    snapshots.push_back(db->GetSnapshot());
  }
  db.Flush();
  const auto table = db.OnlyTable();
  EXPECT_EQ(table->num_entries, 3000);
  EXPECT_EQ(table->num_filter_entries, 1000);
  EXPECT_EQ(table->filter_size, 8 + 8 * NumWords(1000));
  for (const rocksdb::Snapshot* snapshot : snapshots) {
    db->ReleaseSnapshot(snapshot);
  }
}

TEST(TablePropertiesTest, PartitionsAddUp) {
  const Dataset dataset = NumberedDataset(kNumRows, kNumAbsent);
  TestDb db(DbOptions(OurPolicy(), Layout::kPartitioned));
  db.Put(dataset.rows);
  db.Flush();
  const auto table = db.OnlyTable();
  EXPECT_EQ(table->num_filter_entries, kNumRows);
  EXPECT_GT(table->index_partitions, 5);
  // All partitions together take a little more space than one full filter.
  EXPECT_GT(table->filter_size, 8 * NumWords(kNumRows));
  EXPECT_LT(table->filter_size, 8 * NumWords(kNumRows) * 13 / 10);
  const Figures figures =
      FiguresOf(&db, [&] { EXPECT_TRUE(GetsMatch(db.source(), dataset)); });
  EXPECT_EQ(figures.useful + figures.full_positive, kNumRows + kNumAbsent);
  EXPECT_GT(figures.useful, kNumAbsent * 98 / 100);
  EXPECT_EQ(figures.full_true_positive, kNumRows);
}

// The policy builds no filter for fewer than 0.5 bits per key.
TEST(TablePropertiesTest, NoFilter) {
  const Dataset dataset = NumberedDataset(1000, 1000);
  TestDb db(DbOptions(OurPolicy(0.4)));
  db.Put(dataset.rows);
  db.Flush();
  EXPECT_EQ(db.OnlyTable()->filter_size, 0);
  EXPECT_EQ(db.OnlyTable()->num_filter_entries, 0);
  EXPECT_EQ(
      FiguresOf(&db,
                [&] { EXPECT_TRUE(PointReadsMatch(db.source(), dataset)); }),
      Figures());
}

}  // namespace
}  // namespace cassandra_bloom::testing
