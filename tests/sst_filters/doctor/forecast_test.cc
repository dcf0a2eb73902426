// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says about memory, and its forecast of `mix`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/filter_types.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

// The filters of the policy that doctor names are as doctor says.
TEST(DoctorForecastTest, Mix) {
  for (const PolicyPtr& policy : {OurPolicy(), BuiltinPolicy()}) {
    TestDb db(DbOptions(policy));
    AddFile(&db, 0, 60000);
    db.Compact();
    const Json now = FamilyOf(Exits(0, Doctor(db)));
    const std::string name = now["mix"]["policy"];
    EXPECT_EQ(name.rfind("cassandra_bloom:mix:10", 0), 0U) << name;
    EXPECT_THAT(Doctor(db, "").out, HasSubstr("  with mix instead  "));
    const double bits = std::stod(name.substr(name.rfind(':') + 1));
    db.Reopen(DbOptions(PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(bits))));
    db.Compact();
    const Json then = FamilyOf(Exits(0, Doctor(db)));
    EXPECT_EQ(then["mix"], Json());
    EXPECT_NEAR(FalsePositives(then), now["mix"]["false_positives"], 0.0015);
    const double bytes = now["mix"]["filter_bytes"];
    EXPECT_NEAR(AllOf(then)["filter_bytes"], bytes, 0.05 * bytes);
  }
}

// The bits per key of the other files say nothing of those without a filter.
TEST(DoctorForecastTest, NoMixIfAFileHasNoFilter) {
  FilledDb db(DbOptions(nullptr));
  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 0, 20000);
  EXPECT_EQ(FamilyOf(Exits(1, Doctor(db)))["mix"], Json());
  db.Compact();
  EXPECT_NE(FamilyOf(Exits(0, Doctor(db)))["mix"], Json());
}

TEST(DoctorForecastTest, MixInPartitionsTakesMore) {
  rocksdb::Options options = DbOptions(BuiltinPolicy());
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(
      TableOptions(BuiltinPolicy(), Layout::kPartitioned)));
  const FilledDb db(options);
  EXPECT_THAT(Exits(0, Doctor(db, "")).out,
              HasSubstr("in partitioned filters: 3 % with partitions of 4 KiB, "
                        "13 % with 1 KiB\n"));
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
    const double bytes = FamilyOf(Exits(0, Doctor(db)))["bytes_to_build"];
    EXPECT_NEAR(bytes / 20000, known.bytes_per_key, 0.6);
  }
}

// RocksDB builds one partition at a time, and keeps the finished ones.
TEST(DoctorForecastTest, BytesToBuildPartitions) {
  TestDb db(DbOptions(BuiltinRibbonPolicy(), Layout::kPartitioned));
  AddFile(&db, 0, 20000);
  db.Compact();
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  const double bytes = family["bytes_to_build"];
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
