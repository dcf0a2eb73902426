// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says about memory, and about what other
// settings would give.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/object_registry.h>

#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/sst_filters/doctor/doctor_checks.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A file in each of three levels. The deepest has most keys.
void FillLevels(TestDb* db) {
  AddFile(db, 0, 60000);
  CompactLevel0To(6, *db);
  AddFile(db, 0, 20000);
  CompactLevel0To(5, *db);
  AddFile(db, 0, 6000);
}

// The table is right: a database that is filled in the same way with a row's
// policy has these filters.
TEST(DoctorForecastTest, OtherSettings) {
  TestDb before(DbOptions(OurPolicy()));
  FillLevels(&before);
  const Json rows = FamilyOf(Exits(0, Doctor(before)))["settings"]["rows"];
  ASSERT_EQ(rows.size(), 8U);
  rocksdb::ConfigOptions config;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  for (const Json& row : rows) {
    SCOPED_TRACE(row["policy"]);
    PolicyPtr policy;
    Require(rocksdb::FilterPolicy::CreateFromString(config, row["policy"],
                                                    &policy));
    TestDb db(DbOptions(policy));
    FillLevels(&db);
    const Json family = FamilyOf(Exits(0, Doctor(db)));
    const Json now = family["settings"]["now"];
    const double bytes = now["filter_bytes"];
    EXPECT_NEAR(row["filter_bytes"].get<double>(), bytes, 0.03 * bytes);
    EXPECT_NEAR(row["bytes_to_build"].get<double>(), now["bytes_to_build"],
                0.03 * now["bytes_to_build"].get<double>());
    const double passed = FalsePositives(family);
    EXPECT_NEAR(row["false_positives"].get<double>(), passed,
                0.1 * passed + 0.0003);
    EXPECT_EQ(now["false_positives"], passed);
    const double present = now["present_key_in_vain"];
    EXPECT_LT(present, passed);
    EXPECT_NEAR(row["present_key_in_vain"].get<double>(), present,
                0.1 * present + 0.0003);
  }
  const std::string text = Doctor(before, "").out;
  EXPECT_THAT(text, HasSubstr("\n  cassandra_bloom:mix:10:filter:ribbon  "));
  EXPECT_THAT(text, HasSubstr("which are then bottommost is a guess\n"));
  EXPECT_THAT(Doctor(before, "--no-forecast").out,
              Not(HasSubstr("with other settings")));
}

// Files without a filter have as many keys as entries.
TEST(DoctorForecastTest, FilesWithoutFilters) {
  const FilledDb db(DbOptions(nullptr), 2);
  const Json settings = FamilyOf(Exits(0, Doctor(db)))["settings"];
  EXPECT_EQ(settings["now"], Json());
  EXPECT_EQ(settings["rows"][0]["policy"], "bloomfilter:10");
  EXPECT_NEAR(settings["rows"][0]["filter_bytes"].get<double>(), 2500, 100);
}

TEST(DoctorForecastTest, OptimizeFiltersForHits) {
  rocksdb::Options options = DbOptions(BuiltinPolicy());
  options.optimize_filters_for_hits = true;
  TestDb db(options);
  FillLevels(&db);
  const Json settings = FamilyOf(Exits(0, Doctor(db)))["settings"];
  EXPECT_EQ(settings["rows"].back()["policy"],
            "cassandra_bloom:mix:2.5:filter:ribbon");
  EXPECT_LT(settings["rows"].back()["false_positives"], 0.6);
  EXPECT_THAT(settings["notes"].dump(),
              HasSubstr("optimize_filters_for_hits leaves 1.02 blocks in vain "
                        "for an absent key; the rows are without it, such as "
                        "cassandra_bloom:mix:2.5:filter:ribbon (0."));
}

TEST(DoctorForecastTest, PartitionKeysAndPrefixesAlone) {
  const FilledDb partitions(DbOptions(PolicyFor("fixed:4")));
  const Json family = FamilyOf(Exits(0, Doctor(partitions)));
  EXPECT_EQ(family["settings"]["rows"], Json::array());
  EXPECT_THAT(family["notes"].dump(),
              HasSubstr("absent keys of present partitions all pass"));
  EXPECT_NE(family["settings"]["now"]["bytes_to_build"], Json());
}

TEST(DoctorForecastTest, MixInPartitionsTakesMore) {
  const FilledDb db(DbOptions(BuiltinPolicy(), Layout::kPartitioned));
  EXPECT_THAT(Exits(0, Doctor(db, "")).out,
              HasSubstr("in partitioned filters: 3 % with partitions of 4 KiB, "
                        "13 % with 1 KiB\n"));
}

// RocksDB moves a file without writing it anew. Its filter has more bits than
// the policy gives its level.
TEST(DoctorForecastTest, ABitsOfAFlushBelowLevel0) {
  TestDb db(DbOptions(PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(10))));
  AddFile(&db, 0, 5000);
  rocksdb::CompactRangeOptions move;
  move.change_level = true;
  move.target_level = 4;
  move.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  Require(db->CompactRange(move, nullptr, nullptr));
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_EQ(FamilyOf(ran)["ssts"][0]["level"], 4);
  const std::string text = Doctor(db, "").out;
  EXPECT_THAT(text, HasSubstr("no fault: its filter has the size of a flushed "
                              "file's, as RocksDB moved it to its level"));
  EXPECT_THAT(text, HasSubstr("bottommost_level_compaction=kForce"));
  db.Compact();
  EXPECT_THAT(Doctor(db, "").out, Not(HasSubstr("flushed file")));
}

// The peak of memory while a filter of 20,000 keys is built.
TEST(DoctorForecastTest, BytesToBuild) {
  struct Case {
    PolicyPtr policy;
    double bytes_per_key;
  };
  for (const Case& known : {Case{OurPolicy(), 15.9}, Case{BuiltinPolicy(), 8.7},
                            Case{BuiltinRibbonPolicy(), 28.5}}) {
    TestDb db(DbOptions(known.policy));
    AddFile(&db, 0, 20000);
    db.Compact();
    const double bytes =
        FamilyOf(Exits(0, Doctor(db)))["settings"]["now"]["bytes_to_build"];
    EXPECT_NEAR(bytes / 20000, known.bytes_per_key, 0.6);
  }
}

// RocksDB builds one partition at a time, and keeps the finished ones.
TEST(DoctorForecastTest, BytesToBuildPartitions) {
  TestDb db(DbOptions(BuiltinRibbonPolicy(), Layout::kPartitioned));
  AddFile(&db, 0, 20000);
  db.Compact();
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  const double bytes = family["settings"]["now"]["bytes_to_build"];
  const double filter_bytes = AllOf(family)["filter_bytes"];
  EXPECT_GT(bytes, 0.6 * filter_bytes);
  EXPECT_LT(bytes, 2 * filter_bytes);
}

// The index of small partitions with long keys is larger than they are. It is
// not taken for bits per key.
TEST(DoctorForecastTest, IndexOfPartitions) {
  rocksdb::BlockBasedTableOptions table =
      TableOptions(OurPolicy(3), Layout::kPartitioned);
  table.block_size = 16 << 10;
  table.metadata_block_size = 128;
  const TestDb db(DbOptions(table));
  for (uint32_t i = 0; i < 20000; ++i) {
    Require(db->Put({}, std::string(300, 'x') + NumberedKey(i), ""));
  }
  Require(db->Flush({}));
  EXPECT_NEAR(AllOf(Exits(0, Doctor(db)))["bits_per_key"], 3, 1);
}

}  // namespace
}  // namespace cassandra_bloom::testing
