// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says of RocksDB's own filters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RocksdbsFiltersTest, AreUsedBesideOurs) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    TestDb db(DbOptions(BuiltinPolicy(), layout));
    AddFile(&db, 0, 10000);
    db.Reopen(DbOptions(BesideRocksdb(), layout));
    EXPECT_THAT(Exits(0, Doctor(db, "")).out,
                HasSubstr("all is well: every SST file has RocksDB's own "
                          "filter, used\n"));
    AddFile(&db, 10000, 20000);
    const Ran ran = Exits(0, Doctor(db));
    const Json family = ran.json()["column_families"][0];
    EXPECT_EQ(family["filter_policy"], "cassandra_bloom:10:blocks:rocksdb");
    EXPECT_EQ(family["blocks"], "rocksdb");
    EXPECT_EQ(family["levels"][0]["with_our_filter"], 1);
    EXPECT_EQ(family["levels"][0]["with_rocksdbs_filter"], 1);
    ExpectFiles(family["verdict"], {{"good", 1}, {"rocksdbs", 1}});
    EXPECT_EQ(family["verdict"]["findings"], Json::array());
    const Json& theirs = family["ssts"][0];
    const Json& ours = family["ssts"][1];
    EXPECT_EQ(theirs["state"], "rocksdbs");
    EXPECT_EQ(theirs["ours"], false);
    EXPECT_FALSE(theirs.contains("fault"));
    EXPECT_NEAR(theirs["estimated_rate"], 0.0095, 0.003);
    EXPECT_EQ(theirs["rate_is_measured"], true);
    EXPECT_EQ(theirs["rate_is_at_most"], false);
    EXPECT_EQ(ours["state"], "good");
    EXPECT_EQ(ours["ours"], true);
    EXPECT_EQ(ours["rate_is_measured"], false);
    EXPECT_NEAR(ours["estimated_rate"], 0.007, 0.003);
    EXPECT_NEAR(FalsePositives(family["verdict"]), 0.017, 0.005);

    const Ran text = Exits(0, Doctor(db, ""));
    EXPECT_THAT(text.out, HasSubstr(layout == Layout::kFull
                                        ? "RocksDB's Bloom filter, used  "
                                        : "RocksDB's Bloom filter, used, "
                                          "partitioned  "));
    EXPECT_THAT(text.out, HasSubstr(" %, measured\n"));
    EXPECT_THAT(text.out, HasSubstr("cassandra_bloom, blocks=rocksdb"));
    EXPECT_THAT(text.out, HasSubstr("1 with our filter, 1 with RocksDB's "));
    EXPECT_THAT(text.out, HasSubstr("SST files: 1 with our filter, 1 with "
                                    "RocksDB's own filter\n"));
    EXPECT_THAT(text.out, HasSubstr("all is well: every SST file has our "
                                    "filter, or RocksDB's own, used (1 SST "
                                    "file)\n"));
    EXPECT_THAT(text.out, HasSubstr("in the same memory"));
    db.Compact();
    EXPECT_THAT(Exits(0, Doctor(db, "")).out,
                HasSubstr("all is well: every SST file has our filter\n"));
  }
}

TEST(RocksdbsFiltersTest, OfPrefixes) {
  const auto options = [](const PolicyPtr& policy, Layout layout) {
    rocksdb::BlockBasedTableOptions table = TableOptions(policy, layout);
    table.whole_key_filtering = false;
    rocksdb::Options with_prefixes = DbOptions(table);
    with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
    return with_prefixes;
  };
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    FilledDb db(options(BuiltinPolicy(), layout));
    db.Reopen(options(BesideRocksdb(), layout));
    AddFile(&db, 1000, 2000);
    const Ran ran = Exits(0, Doctor(db));
    ExpectFiles(VerdictOf(ran), {{"good", 1}, {"rocksdbs", 1}});
    const TempDir dir;
    WriteFile(dir / "statistics",
              "rocksdb.bloom.filter.useful COUNT : 1\n"
              "rocksdb.bloom.filter.full.positive COUNT : 99\n"
              "rocksdb.bloom.filter.full.true.positive COUNT : 1\n");
    EXPECT_THAT(Exits(0, Doctor(db, "--statistics=" + dir / "statistics")).out,
                HasSubstr("absent rows of present partitions or prefixes"));
  }
}

// RocksDB writes an empty legacy Bloom filter for a partition in which no key
// has a prefix.
TEST(RocksdbsFiltersTest, APartitionWithoutPrefixesIsNoFault) {
  const auto options = [](const PolicyPtr& policy) {
    rocksdb::BlockBasedTableOptions table =
        TableOptions(policy, Layout::kPartitioned);
    table.whole_key_filtering = false;
    table.format_version = 4;
    table.block_size = 100;
    table.metadata_block_size = 64;
    rocksdb::Options with_prefixes = DbOptions(table);
    with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
    return with_prefixes;
  };
  Rows rows;
  for (int i = 1000; i < 2000; ++i) {
    rows["short" + std::to_string(i).substr(1)] = "value";
    rows["with a prefix" + std::to_string(i)] = "value";
  }
  TestDb db(options(BuiltinPolicy()));
  db.Put(rows);
  db.Flush();
  db.Reopen(options(BesideRocksdb()));
  ExpectFiles(VerdictOf(Exits(0, Doctor(db))), {{"rocksdbs", 1}});
}

// cassandra_bloom:mix already spreads bits as allocation=monkey does, so the
// two cannot be combined.
TEST(RocksdbsFiltersTest, NoAdviceOfMonkeyToMix) {
  TestDb db(WithDynamicLevels(BuiltinPolicy()));
  AddFile(&db, 0, 20000);
  db.Compact();
  AddFile(&db, 0, 200);
  AddFile(&db, 0, 200);
  rocksdb::CassandraBloomOptions monkey = Types("cassandra", "");
  monkey.allocation = "monkey";
  const auto findings = [&](const PolicyPtr& policy) {
    db.Reopen(WithDynamicLevels(policy));
    return VerdictOf(Exits(0, Doctor(db)))["findings"].dump();
  };
  EXPECT_THAT(findings(BesideRocksdb()), HasSubstr("to_do"));
  EXPECT_THAT(findings(PolicyOf(monkey)), Not(HasSubstr("allocation=monkey")));
  EXPECT_EQ(findings(Mix()), "[]");
}

// A Bloom filter has more false positives than a Ribbon filter of the same
// size.
TEST(RocksdbsFiltersTest, AlternativesToRibbonFilters) {
  TestDb db(DbOptions(RibbonPolicy()));
  AddFile(&db, 0, 20000);
  db.Compact();
  db.Reopen(DbOptions(BesideRocksdb()));
  AddFile(&db, 0, 200);
  AddFile(&db, 0, 200);
  const Ran ran = Exits(0, Doctor(db));
  const Json verdict = VerdictOf(ran);
  ExpectFiles(verdict, {{"good", 2}, {"rocksdbs", 1}});
  EXPECT_EQ(verdict["findings"], Json::array());
  const Json expected = verdict["expected_with_our_policy"];
  const double uniform = expected["uniform"]["false_positives"];
  EXPECT_NEAR(FalsePositives(verdict), 0.026, 0.006);
  EXPECT_NEAR(uniform, 3 * 0.0338, 0.006);
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("RocksDB's Ribbon filter, used"));
  EXPECT_THAT(text.out, HasSubstr("in the same memory"));
}

TEST(MeasuredRateTest, NoneOfTheKeysPassed) {
  TestDb db(DbOptions(BuiltinPolicy(60)));
  AddFile(&db, 0, 10000);
  db.Reopen(DbOptions(BesideRocksdb()));
  const Ran ran = Exits(0, Doctor(db));
  const Json sst = ran.json()["column_families"][0]["ssts"][0];
  EXPECT_EQ(sst["rate_is_at_most"], true);
  EXPECT_NEAR(sst["estimated_rate"], 3.0 / 20000, 1e-9);
  EXPECT_NEAR(FalsePositives(VerdictOf(ran)), 3.0 / 20000, 1e-9);
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("at most 0.015 %, measured\n"));
  EXPECT_THAT(text.out, HasSubstr("  at most 0.00015\n"));
}

TEST(MeasuredRateTest, IsWhatRocksdbObserves) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    const Dataset dataset = NumberedDataset(20000, 20000);
    TestDb db(DbOptions(BuiltinPolicy(5), layout));
    db.Put(dataset.rows);
    db.Flush();
    db.Reopen(DbOptions(RibbonPolicy(), layout));
    db.Put(dataset.rows);
    db.Flush();
    for (const PolicyPtr& policy : {RibbonPolicy(), BesideRocksdb()}) {
      db.Reopen(DbOptions(policy, layout));
      db.ResetStatistics();
      std::string value;
      for (const std::string& key : dataset.absent) {
        ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key, &value).IsNotFound());
      }
      const TempDir dir;
      WriteFile(dir / "statistics", db.options().statistics->ToString());
      const Json observed =
          Doctor(db, "--json --statistics=" + dir / "statistics")
              .json()["observed"];
      const double rate = observed["rate"];
      const double expected = observed["expected_rate"];
      EXPECT_GT(expected, 0.04);
      EXPECT_NEAR(rate, expected, 0.15 * expected);
      EXPECT_EQ(observed["finding"], nullptr);
    }
  }
}

// A policy under the name of RocksDB's Bloom policy. All its filters are
// `block`.
class RocksdbsBlock final : public rocksdb::FilterPolicy {
 public:
  explicit RocksdbsBlock(std::string block) : importing_(std::move(block)) {}
  const char* Name() const override { return "bloomfilter"; }
  const char* CompatibilityName() const override {
    return "rocksdb.BuiltinBloomFilter";
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return importing_.GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& /*contents*/) const override {
    return nullptr;
  }

 private:
  const ImportingPolicy importing_;
};

// RocksDB writes six zeros if it has no memory for a filter.
TEST(UselessFilterTest, EveryKeyMatches) {
  FilledDb db(DbOptions(std::make_shared<RocksdbsBlock>(std::string(6, '\0'))));
  db.Reopen(DbOptions(BesideRocksdb()));
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"damaged", 1}});
  EXPECT_EQ(FalsePositives(VerdictOf(ran)), 1);
  EXPECT_EQ(VerdictOf(ran)["findings"][0]["what"],
            "RocksDB's own filter, which lets every key pass");
  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(UselessFilterTest, AWrongChecksum) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  const uint64_t data_size = db.OnlyTable()->data_size;
  db.Reopen(DbOptions(BesideRocksdb()));
  const std::string sst = OnlySst(db);
  db.Close();
  std::string content = ReadFile(sst);
  content[data_size + 9] ^= 1;  // The filter follows the data.
  WriteFile(sst, content);
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"damaged", 1}});
  EXPECT_EQ(FalsePositives(VerdictOf(ran)), 1);
  EXPECT_THAT(VerdictOf(ran)["findings"][0]["what"],
              HasSubstr("whose checksum is wrong"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
