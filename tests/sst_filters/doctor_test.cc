// SPDX-License-Identifier: Apache-2.0

// Tests the command `sst_filters doctor` on real databases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/block_layout.h"
#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/naive_filter.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void Ingest(TestDb* db, const rocksdb::Options& options, uint32_t first,
            uint32_t end) {
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Require(writer.Open(dir / "ingested.sst"));
  for (const auto& [key, value] : NumberedRows(first, end)) {
    Require(writer.Put(key, value));
  }
  Require(writer.Finish());
  Require((*db)->IngestExternalFile({dir / "ingested.sst"}, {}));
}

TEST(DoctorTest, AllIsWell) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    TestDb db(DbOptions(OurPolicy(), layout));
    AddFile(&db, 0, 10000);
    db.Compact();
    AddFile(&db, 10000, 20000);
    const Ran ran = Exits(0, Doctor(db));
    const Json json = ran.json();
    EXPECT_EQ(json["fault"], false);
    const Json family = json["column_families"][0];
    EXPECT_EQ(family["name"], "default");
    EXPECT_EQ(family["filter_policy"], "cassandra_bloom:10");
    EXPECT_EQ(family["on"], true);
    EXPECT_EQ(family["levels"].size(), 2);
    ASSERT_EQ(family["ssts"].size(), 2);
    for (const Json& sst : family["ssts"]) {
      EXPECT_EQ(sst["policy"], "cassandra_bloom");
      EXPECT_EQ(sst["filter"],
                layout == Layout::kFull ? "full" : "partitioned");
      EXPECT_EQ(sst["ours"], true);
      EXPECT_NEAR(sst["keys"], 10000, 100);
      // The size of a partitioned filter includes the index of its partitions.
      EXPECT_NEAR(sst["bits_per_key"], 11, 1.1);
      // Small partitions have more bits per key than requested.
      EXPECT_NEAR(sst["estimated_rate"], 0.007, 0.003);
    }
    EXPECT_THAT(Exits(0, SstFilters("doctor --db=" + db.path())).out,
                HasSubstr("all is well"));
  }
}

TEST(DoctorTest, PartitionKeys) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    FilledDb db(DbOptions(PolicyFor("fixed:8"),
                          layout));  // 1000 keys in 100 partitions.
    const Ran ran = Exits(0, Doctor(db));
    const Json family = ran.json()["column_families"][0];
    EXPECT_EQ(family["filter_policy"],
              "cassandra_bloom:10:partition_key:fixed:8");
    const Json sst = family["ssts"][0];
    EXPECT_EQ(sst["policy"], "cassandra_bloom.partition_key.fixed:8");
    EXPECT_EQ(sst["filter"], layout == Layout::kFull ? "full" : "partitioned");
    EXPECT_NEAR(sst["keys"], 100, layout == Layout::kFull ? 0 : 10);
    EXPECT_LT(sst["estimated_rate"], 0.02);

    db.Reopen(DbOptions(PolicyFor("fixed:7"), layout));
    AddFile(&db, 1000, 2000);
    const Ran changed = Exits(1, Doctor(db));
    const Json ssts = changed.json()["column_families"][0]["ssts"];
    ASSERT_EQ(ssts.size(), 2);
    const std::string fault = ssts[0]["fault"];
    EXPECT_THAT(fault, HasSubstr("'cassandra_bloom.partition_key.fixed:8'"));
    EXPECT_FALSE(ssts[1].contains("fault"));
    db.Compact();
    EXPECT_EQ(Doctor(db).exit_code, 0);
  }
}

TEST(DoctorTest, AnEmptyDatabase) {
  const TestDb ours(DbOptions(OurPolicy()));
  EXPECT_EQ(Doctor(ours).exit_code, 0);
  const TestDb other(DbOptions(BuiltinPolicy()));
  EXPECT_EQ(Doctor(other).exit_code, 1);
}

TEST(DoctorTest, FilesFromBeforeTheSwitch) {
  FilledDb db(DbOptions(nullptr));
  db.Reopen(DbOptions(BuiltinPolicy()));
  AddFile(&db, 1000, 2000);
  EXPECT_EQ(Doctor(db).json()["column_families"][0]["on"], false);
  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 2000, 3000);
  const Ran ran = Exits(1, Doctor(db));
  const Json family = ran.json()["column_families"][0];
  EXPECT_EQ(family["on"], true);
  EXPECT_EQ(family["levels"][0]["files"], 3);
  EXPECT_EQ(family["levels"][0]["with_our_filter"], 1);
  const Json ssts = family["ssts"];
  ASSERT_EQ(ssts.size(), 3);
  EXPECT_EQ(ssts[0]["fault"], "no filter");
  EXPECT_EQ(ssts[0]["filter"], "none");
  EXPECT_EQ(ssts[0]["estimated_rate"], nullptr);
  const std::string second = ssts[1]["fault"];
  EXPECT_THAT(second, HasSubstr("RocksDB's Bloom filter, which is not used"));
  const std::string remedy = ssts[1]["remedy"];
  EXPECT_THAT(remedy, HasSubstr("kForce"));
  EXPECT_FALSE(ssts[2].contains("fault"));
  EXPECT_THAT(Exits(1, SstFilters("doctor --db=" + db.path())).out,
              HasSubstr("fault: no filter (1 SST file: "));

  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(DoctorTest, DeletedRangesAloneNeedNoFilter) {
  TestDb db(DbOptions(OurPolicy()));
  Require(db->DeleteRange(rocksdb::WriteOptions(), db->DefaultColumnFamily(),
                          "a", "b"));
  db.Flush();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(DoctorTest, EveryColumnFamily) {
  TestDb db(DbOptions(OurPolicy()));
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db->CreateColumnFamily(
      rocksdb::ColumnFamilyOptions(DbOptions(nullptr)), "other", &other));
  const Ran ran = Exits(1, Doctor(db));
  ASSERT_EQ(ran.json()["column_families"].size(), 2);
  EXPECT_EQ(ran.json()["column_families"][1]["on"], false);
  Require(db->DestroyColumnFamilyHandle(other));
}

// Each file of level 0 is a sorted run. The two files of the lowest level are
// one sorted run.
TEST(DoctorVerdictTest, SumOverRuns) {
  TestDb db(DbOptions(OurPolicy()));
  Ingest(&db, DbOptions(OurPolicy(5)), 0, 3000);
  Ingest(&db, DbOptions(OurPolicy()), 3000, 4000);
  AddFile(&db, 0, 1000);
  AddFile(&db, 500, 2500);
  const Ran ran = Exits(0, Doctor(db));
  const Json family = ran.json()["column_families"][0];
  std::map<uint64_t, double> rates;  // The key is a number of entries.
  uint64_t bytes = 0;
  for (const Json& sst : family["ssts"]) {
    const double rate = sst["estimated_rate"];
    rates[sst["entries"]] += rate;
    bytes += sst["filter_bytes"].get<uint64_t>();
  }
  ASSERT_EQ(family["ssts"].size(), 4);
  ASSERT_EQ(rates.size(), 3);
  // Level 0 and the lowest level each have a file with 1000 entries.
  const double of_1000 = rates[1000] / 2;
  EXPECT_NEAR(of_1000, 0.008, 0.003);
  EXPECT_NEAR(rates[3000], 0.092, 0.02);
  const double lowest = (3000 * rates[3000] + 1000 * of_1000) / 4000;
  const double level0 = of_1000 + rates[2000];
  const Json verdict = family["verdict"];
  EXPECT_NEAR(FalsePositives(verdict), level0 + lowest, 0.003);
  EXPECT_EQ(verdict["expected_with_our_policy"]["runs"], 3);
  EXPECT_EQ(verdict["filter_bytes"], bytes);
  ExpectFiles(verdict, {{"good", 4}});
  EXPECT_EQ(family["levels"][0]["expected"]["runs"], 2);
  EXPECT_EQ(family["levels"][1]["expected"]["runs"], 1);
  const double at_level0 =
      family["levels"][0]["expected"]["as_it_is"]["false_positives"];
  EXPECT_NEAR(at_level0, level0, 0.003);
}

TEST(DoctorVerdictTest, Mixed) {
  TestDb db(DbOptions(OurPolicy()));
  Ingest(&db, DbOptions(OurPolicy()), 0, 3000);
  Ingest(&db, DbOptions(BuiltinPolicy()), 3000, 4000);
  const Ran one = Exits(1, Doctor(db));
  // RocksDB does not use the filter of the second file, which has a quarter of
  // the entries.
  EXPECT_NEAR(FalsePositives(VerdictOf(one)), 0.25 + 0.75 * 0.008, 0.003);
  Ingest(&db, DbOptions(nullptr), 0, 2000);
  const Ran ran = Exits(1, Doctor(db));
  const Json verdict = VerdictOf(ran);
  EXPECT_NEAR(FalsePositives(verdict), 1 + 0.25 + 0.75 * 0.008, 0.003);
  ExpectFiles(verdict, {{"good", 1}, {"other_policy", 1}, {"unfiltered", 1}});
  ASSERT_EQ(verdict["findings"].size(), 2);
  for (const Json& finding : verdict["findings"]) {
    EXPECT_EQ(finding["fault"], true);
    EXPECT_EQ(finding["files"].size(), 1);
    EXPECT_THAT(finding["to_do"], HasSubstr("kForce"));
  }
  const Ran text = Exits(1, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("SST files: 1 with our filter, 1 with one of "
                                  "another policy, 1 without a filter\n"));
  EXPECT_THAT(text.out, HasSubstr("there are faults"));
}

TEST(DoctorVerdictTest, LostPlugin) {
  TestDb db(DbOptions(PolicyFor("fixed:8")));
  AddFile(&db, 0, 10000);
  AddFile(&db, 0, 10000);
  EXPECT_EQ(Doctor(db).exit_code, 0);

  db.Reopen(DbOptions(nullptr));
  const Ran lost = Exits(1, Doctor(db));
  const Json verdict = VerdictOf(lost);
  EXPECT_EQ(FalsePositives(verdict), 2);
  const double with_ours =
      verdict["expected_with_our_policy"]["as_it_is"]["false_positives"];
  EXPECT_NEAR(with_ours, 0.016, 0.006);
  ExpectFiles(verdict, {{"good", 2}});
  ASSERT_EQ(verdict["findings"].size(), 1);
  const Json finding = verdict["findings"][0];
  EXPECT_EQ(finding["files"].size(), 2);
  EXPECT_THAT(finding["what"], HasSubstr("are not asked"));
  EXPECT_THAT(
      finding["to_do"],
      HasSubstr("filter_policy=cassandra_bloom:10:partition_key:fixed:8, in a "
                "process that has loaded"));
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("as it is: 2, as every run is read"));

  db.Reopen(DbOptions(BuiltinPolicy()));
  const Ran other = Exits(1, Doctor(db));
  EXPECT_EQ(FalsePositives(VerdictOf(other)), 2);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("as it is: 2, as RocksDB's own policy reads"));
  EXPECT_THAT(VerdictOf(other)["findings"][0]["what"],
              HasSubstr("the filter policy in the OPTIONS file is '"));
}

// The first filter has ten times the keys that it was sized for. Every key
// matches the second filter, which the library writes if it has no memory for a
// filter.
TEST(DoctorVerdictTest, Saturated) {
  NaiveFilter too_small(7, (1000 * 10 + 20 + 63) / 64);
  for (const auto& row : NumberedRows(0, 10000)) {
    too_small.Add(row.first);
  }
  const std::string match_all(kMatchAllFilterDb, sizeof(kMatchAllFilterDb));
  for (const std::string& block : {too_small.Serialize(), match_all}) {
    SCOPED_TRACE(block.size());
    TestDb db(DbOptions(std::make_shared<ImportingPolicy>(block)));
    AddFile(&db, 0, 10000);
    db.Reopen(DbOptions(OurPolicy()));
    AddFile(&db, 0, 1000);
    const Ran ran = Exits(1, Doctor(db));
    const Json verdict = VerdictOf(ran);
    ExpectFiles(verdict, {{"good", 1}, {"saturated", 1}});
    EXPECT_NEAR(FalsePositives(verdict), 1.008, 0.01);
    ASSERT_EQ(verdict["findings"].size(), 1);
    EXPECT_THAT(verdict["findings"][0]["what"], HasSubstr("saturated"));
    EXPECT_EQ(verdict["findings"][0]["fault"], true);
    EXPECT_THAT(Doctor(db, "").out, HasSubstr("1 with a saturated one"));
    db.Compact();
    EXPECT_EQ(Doctor(db).exit_code, 0);
  }
}

TEST(DoctorVerdictTest, Damaged) {
  FilledDb db(DbOptions(std::make_shared<ImportingPolicy>("not a filter")));
  db.Reopen(DbOptions(OurPolicy()));
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"damaged", 1}});
  EXPECT_EQ(FalsePositives(VerdictOf(ran)), 1);
}

// Every second partition is saturated, and has fewer bytes than the others. It
// must count as much as an average one.
TEST(DoctorVerdictTest, SaturatedPartitions) {
  const std::string match_all(kMatchAllFilterDb, sizeof(kMatchAllFilterDb));
  TestDb db(DbOptions(std::make_shared<ImportingPolicy>(match_all, 2),
                      Layout::kPartitioned));
  AddFile(&db, 0, 10000);
  db.Reopen(DbOptions(OurPolicy(), Layout::kPartitioned));
  const Ran ran = Exits(1, Doctor(db));
  const Json verdict = VerdictOf(ran);
  ExpectFiles(verdict, {{"saturated", 1}});
  EXPECT_NEAR(FalsePositives(verdict), 0.5, 0.1);
}

TEST(DoctorVerdictTest, OneBitPerKeyIsNotSaturated) {
  rocksdb::CassandraBloomOptions largest_chance;
  largest_chance.fp_chance = 0.9;
  for (const PolicyPtr& policy :
       {OurPolicy(1), OurPolicy(2),
        PolicyPtr(
            rocksdb::NewCassandraBloomPolicyFromOptions(largest_chance))}) {
    TestDb db(DbOptions(policy));
    AddFile(&db, 0, 10000);
    const Ran ran = Exits(0, Doctor(db));
    EXPECT_GT(FalsePositives(VerdictOf(ran)), 0.3);
  }
}

TEST(DoctorVerdictTest, AnotherAllocation) {
  for (const auto style :
       {rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleUniversal}) {
    rocksdb::Options options = DbOptions(OurPolicy());
    options.compaction_style = style;
    options.level_compaction_dynamic_level_bytes = false;
    TestDb db(options);
    Ingest(&db, options, 0, 20000);
    AddFile(&db, 0, 200);
    EXPECT_EQ(VerdictOf(Doctor(db))["findings"], Json::array());
    AddFile(&db, 0, 200);
    const Ran ran = Exits(0, Doctor(db));
    const Json verdict = VerdictOf(ran);
    const Json expected = verdict["expected_with_our_policy"];
    const auto rate = [&expected](const char* allocation) -> double {
      return expected[allocation]["false_positives"];
    };
    EXPECT_NEAR(rate("as_it_is"), 3 * 0.0082, 0.005);
    EXPECT_NEAR(rate("uniform"), 3 * 0.0082, 0.001);
    EXPECT_LT(rate("monkey"), 0.5 * rate("uniform"));
    for (const char* const allocation : {"uniform", "monkey"}) {
      const double now = expected["as_it_is"]["bits_per_key"];
      const double then = expected[allocation]["bits_per_key"];
      EXPECT_NEAR(then, now, 1e-6);
    }
    if (style == rocksdb::kCompactionStyleLevel) {
      ASSERT_EQ(verdict["findings"].size(), 1);
      const Json finding = verdict["findings"][0];
      EXPECT_EQ(finding["fault"], false);
      EXPECT_EQ(finding["to_do"],
                "allocation=monkey in the options of the policy (with "
                "level_compaction_dynamic_level_bytes=true), then compact");
      EXPECT_THAT(Doctor(db, "").out,
                  HasSubstr("advice: spread over the levels"));
    } else {
      EXPECT_EQ(verdict["findings"], Json::array());
    }
  }
}

class DoctorStatisticsTest : public ::testing::Test {
 protected:
  std::string Statistics(const std::string& text) {
    WriteFile(dir_ / "statistics", text);
    return "--statistics=" + dir_ / "statistics" + " ";
  }
  std::string Statistics(int useful, int positive, int true_positive) {
    return Statistics(
        "rocksdb.bloom.filter.useful COUNT : " + std::to_string(useful) +
        "\nrocksdb.bloom.filter.full.positive COUNT : " +
        std::to_string(positive) +
        "\nrocksdb.bloom.filter.full.true.positive COUNT : " +
        std::to_string(true_positive) + "\n");
  }

  const TempDir dir_;
};

// One sorted run has 5 bits per key, and the other 10. sst_filters doctor must
// expect the average of their rates.
TEST_F(DoctorStatisticsTest, OfADatabase) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    const Dataset dataset = NumberedDataset(20000, 20000);
    TestDb db(DbOptions(OurPolicy(5), layout));
    db.Put(dataset.rows);
    db.Flush();
    db.Reopen(DbOptions(OurPolicy(), layout));
    db.Put(dataset.rows);
    db.Flush();
    db.ResetStatistics();
    std::string value;
    for (const std::string& key : dataset.absent) {
      ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key, &value).IsNotFound());
    }
    for (uint32_t i = 0; i < 20000; i += 10) {
      Require(db->Get(rocksdb::ReadOptions(), NumberedKey(i), &value));
    }
    const std::string statistics =
        Statistics(db.options().statistics->ToString());
    const Ran ran = Exits(0, Doctor(db, statistics + "--json"));
    const Json observed = ran.json()["observed"];
    EXPECT_EQ(observed["questions_for_absent_keys"], 40000);
    EXPECT_EQ(observed["full_true_positive"], 2000);
    EXPECT_EQ(observed["false_positives"],
              db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) - 2000);
    const double rate = observed["rate"];
    const double expected = observed["expected_rate"];
    EXPECT_NEAR(expected, (0.092 + 0.008) / 2, 0.006);
    EXPECT_NEAR(rate, expected, 0.1 * expected);
    EXPECT_NEAR(FalsePositives(VerdictOf(ran)), 2 * expected, 1e-9);
    EXPECT_EQ(observed["whole_keys"], true);
    EXPECT_EQ(observed["finding"], nullptr);
    EXPECT_THAT(Doctor(db, statistics).out,
                HasSubstr(" % of 40000 questions for absent keys passed; "
                          "expected "));
  }
}

// RocksDB's counters do not include a file without a filter. So sst_filters
// doctor must not include the file in the expected rate.
TEST_F(DoctorStatisticsTest, FilesWithoutOurFilterAreNotInTheAverage) {
  TestDb db(DbOptions(OurPolicy()));
  Ingest(&db, DbOptions(OurPolicy()), 0, 3000);
  Ingest(&db, DbOptions(nullptr), 3000, 4000);
  const Json observed =
      Doctor(db, Statistics(992, 8, 0) + "--json").json()["observed"];
  const double expected = observed["expected_rate"];
  EXPECT_NEAR(expected, 0.008, 0.002);
}

TEST_F(DoctorStatisticsTest, MoreThanTheWorst) {
  TestDb db(DbOptions(OurPolicy()));
  AddFile(&db, 0, 10000);
  EXPECT_EQ(Doctor(db, Statistics(99000, 1000, 0)).exit_code, 0);
  // With fewer than 20 false positives, sst_filters doctor does not judge the
  // filters.
  EXPECT_EQ(Doctor(db, Statistics(95, 10, 5)).exit_code, 0);
  const Ran ran = Exits(1, Doctor(db, Statistics(98000, 2000, 0) + "--json"));
  EXPECT_EQ(ran.json()["fault"], true);
  EXPECT_THAT(ran.json()["observed"]["finding"]["what"],
              HasSubstr("more keys pass"));
  EXPECT_THAT(Doctor(db, Statistics(98000, 2000, 0)).out,
              HasSubstr("fault: more keys pass than the worst"));

  // With partition keys, absent rows of present partitions pass the filter.
  TestDb partitions(DbOptions(PolicyFor("fixed:8")));
  AddFile(&partitions, 0, 10000);
  const Ran rows = Exits(0, Doctor(partitions, Statistics(98000, 2000, 0)));
  EXPECT_THAT(rows.out, HasSubstr("absent rows of present partitions"));
}

TEST_F(DoctorStatisticsTest, NoQuestions) {
  TestDb db(DbOptions(OurPolicy()));
  AddFile(&db, 0, 10000);
  EXPECT_EQ(Exits(0, Doctor(db, Statistics(0, 5, 5) + "--json"))
                .json()["observed"]["rate"],
            nullptr);
  EXPECT_THAT(Doctor(db, Statistics(0, 5, 5)).out,
              HasSubstr("no filter was asked for a key"));
  db.Reopen(DbOptions(nullptr));
  EXPECT_EQ(Doctor(db, Statistics(9, 5, 5) + "--json")
                .json()["observed"]["expected_rate"],
            nullptr);
}

TEST(DoctorCommandTest, BadCommandLines) {
  FilledDb db;
  const TempDir dir;
  WriteFile(dir / "text", "no statistics\n");
  const std::string doctor = "doctor --db=" + db.path();
  struct BadLine {
    std::string arguments;
    const char* message;
  };
  const BadLine bad_lines[] = {
      {"doctor", "--db is required"},
      {"doctor --db=/none", "cannot be opened as a RocksDB"},
      {"doctor --db=" + dir.path(), "cannot be opened as a RocksDB"},
      {"doctor --db=" + dir / "text", "cannot be opened as a RocksDB"},
      {doctor + " surplus", "surplus"},
      {doctor + " --statistics=" + dir / "none", "/none: cannot be opened"},
      {doctor + " --statistics=" + dir / "text",
       "/text: has no line 'rocksdb.bloom.filter.full.positive COUNT : N'"},
      {doctor + " --statistics=" + dir.path(), "has no line"},
  };
  for (const BadLine& bad : bad_lines) {
    const Ran ran = Exits(2, SstFilters(bad.arguments));
    EXPECT_EQ(ran.out, "") << bad.arguments;
    EXPECT_THAT(ran.err, HasSubstr(bad.message)) << bad.arguments;
  }
}

TEST(DoctorCommandTest, Help) {
  const Ran ran = Exits(0, SstFilters("doctor --help"));
  for (const char* const option : {"--db", "--statistics"}) {
    EXPECT_THAT(ran.out, HasSubstr(option));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
