// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says where filters are used, and that RocksDB
// asks those that it calls used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/c.h>
#include <rocksdb/slice_transform.h>
#include <sys/resource.h>

#include <string>

#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/dataset.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DoctorTest, AllIsWell) {
  const FilledDb db(DbOptions(OurPolicy()), 2);
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(
      text.out,
      HasSubstr("column family default: filter_policy=cassandra_bloom:10\n"));
  EXPECT_THAT(
      text.out,
      HasSubstr("\nall is well: RocksDB uses the filter of every SST file\n"));
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(AllOf(family)["files"], 2);
  EXPECT_EQ(AllOf(family)["keys"], 2000);
  EXPECT_EQ(AllOf(family)["asked_by_get"], 2);
  EXPECT_EQ(AllOf(family)["asked_by_seek"], Json());
  EXPECT_NEAR(AllOf(family)["bits_per_key"], 10, 0.2);
  EXPECT_NEAR(FalsePositives(family), 2 * 0.0082, 0.003);
  EXPECT_EQ(family["ssts"][0]["use"], "used");
  EXPECT_EQ(family["reasons"], Json::object());
}

// RocksDB's C interface, which Rust and Go use, records no bits per key.
TEST(DoctorTest, RocksdbsOwnFiltersOfAProgramInC) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Close();
  rocksdb_block_based_table_options_t* const table =
      rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(
      table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_block_based_table_factory(options, table);
  char* error = nullptr;
  rocksdb_t* const opened = rocksdb_open(options, db.path().c_str(), &error);
  ASSERT_EQ(error, nullptr);
  rocksdb_close(opened);
  rocksdb_options_destroy(options);
  rocksdb_block_based_options_destroy(table);

  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(family["policy"], "bloomfilter");
  EXPECT_NEAR(FalsePositives(family), 0.0095, 0.003);
  EXPECT_EQ(family["settings"]["now"]["bytes_to_build"], Json());
  EXPECT_THAT(Doctor(db, "").out, HasSubstr("names 'bloomfilter' without bits "
                                            "per key, as programs in C, Rust"));
}

TEST(DoctorTest, AnEmptyDatabase) {
  for (const PolicyPtr& policy : {OurPolicy(), PolicyPtr()}) {
    const TestDb db(DbOptions(policy));
    EXPECT_THAT(Exits(0, Doctor(db, "")).out,
                HasSubstr("\nno SST file yet: there is no filter to ask\n"));
    EXPECT_EQ(AllOf(Doctor(db)), Json());
  }
}

// A range that was deleted hides no filter below it. A level of deleted ranges
// alone costs no reads.
TEST(DoctorTest, DeletedRangesAloneNeedNoFilter) {
  for (const bool is_in_level_0 : {true, false}) {
    FilledDb db;
    if (!is_in_level_0) {
      CompactLevel0To(6, db);
    }
    Require(db->DeleteRange({}, db->DefaultColumnFamily(), "a", "z"));
    db.Flush();
    if (!is_in_level_0) {
      CompactLevel0To(3, db);
    }
    const Json family = FamilyOf(Exits(0, Doctor(db)));
    EXPECT_EQ(family["levels"].size(), is_in_level_0 ? 1U : 2U);
    EXPECT_EQ(AllOf(family)["asked_by_get"], 1);
    EXPECT_NEAR(FalsePositives(family), 0.0082, 0.003);
    EXPECT_THAT(Doctor(db, "").out,
                HasSubstr("no fault: no keys, only deleted ranges\n"));
  }
}

// Between a key and itself is no absent key. Its filter is measured.
TEST(DoctorTest, FilesWithOneKey) {
  FilledDb db;
  for (uint32_t i = 0; i < 3; ++i) {
    AddFile(&db, i, i + 1);
  }
  EXPECT_LT(FalsePositives(FamilyOf(Exits(0, Doctor(db)))), 0.1);
  const std::string text = Doctor(db, "").out;
  EXPECT_THAT(text, HasSubstr("not asked: no absent key is in its range\n"
                              "    level 0, 3 SST files: "));
  EXPECT_THAT(text, HasSubstr("every SST file, but see above\n"));
}

double CpuSecondsOfCommands() {
  rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
}

// Seeks do not pass over all deletions that follow the key. If they do, this
// takes more than 15 seconds of CPU time.
TEST(DoctorTest, AmongDeletions) {
  constexpr uint32_t kFiles = 200;
  constexpr uint32_t kKeysOfFile = 2500;
  rocksdb::Options options = DbOptions(OurPolicy());
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
  TestDb db(options);
  for (uint32_t i = 0; i < kFiles; ++i) {
    for (uint32_t key = 0; key < kKeysOfFile; ++key) {
      Require(db->Delete({}, NumberedKey(i * kKeysOfFile + key)));
    }
    db.Flush();
  }
  const double before = CpuSecondsOfCommands();
  EXPECT_EQ(AllOf(Exits(0, Doctor(db)))["asked_by_seek"], kFiles);
  EXPECT_LT(CpuSecondsOfCommands() - before, 8);
}

// The false positives are those of a look-up of an absent key in the range of
// all runs: one in each file of level 0, and one in each deeper level.
TEST(DoctorTest, SumOverRuns) {
  TestDb db(DbOptions(OurPolicy(5)));
  for (const uint32_t first : {0U, 1000U}) {
    AddFile(&db, first, first + 1000);
    CompactLevel0To(3, db);
  }
  AddFile(&db, 0, 1000);
  AddFile(&db, 0, 1000);
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(family["levels"][1]["files"], 2);
  const double rate = AllOf(family)["rate"];
  EXPECT_NEAR(FalsePositives(family), 3 * rate, 0.02);
  db.ResetStatistics();
  std::string value;
  for (const std::string& key : NumberedDataset(1000, 900).absent) {
    ASSERT_TRUE(db->Get({}, key, &value).IsNotFound());
  }
  EXPECT_NEAR(
      static_cast<double>(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE)),
      900 * FalsePositives(family), 100);
}

TEST(DoctorTest, EveryColumnFamily) {
  FilledDb db;
  const std::string name = "x\n\"all is well\x1b[2J";
  AddColumnFamily(&db, name, DbOptions(nullptr));
  const Ran both = Exits(0, Doctor(db, ""));
  EXPECT_THAT(both.out,
              HasSubstr("x\\x0a\"all is well\\x1b[2J: no filter_policy"));
  // The program wants no filters there.
  EXPECT_THAT(
      both.out,
      HasSubstr("no fault: no filter, as no OPTIONS, SST or LOG file that "
                "is there names a filter_policy"));
  EXPECT_THAT(both.out, HasSubstr("every SST file, but see above\n"));
  const Ran one = Exits(0, Doctor(db, "--column-family=default"));
  EXPECT_THAT(one.out, Not(HasSubstr("2J")));
  EXPECT_THAT(Exits(3, Doctor(db, "--column-family=none")).err,
              HasSubstr("has no column family 'none'"));
}

// What doctor calls used, RocksDB asks, as its tickers say. Filters of all
// kinds with all policies.
TEST(DoctorTest, FiltersAreAskedAsDoctorSays) {
  const PolicyPtr policies[] = {OurPolicy(), OurPolicyBesideRocksdb(),
                                BuiltinPolicy(), BuiltinRibbonPolicy(),
                                nullptr};
  for (size_t written_with = 0; written_with < 4; ++written_with) {
    for (size_t read_with = 0; read_with < 5; ++read_with) {
      for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
        SCOPED_TRACE(std::to_string(written_with) + " " +
                     std::to_string(read_with) + " " + ToString(layout));
        FilledDb db(DbOptions(policies[written_with], layout));
        db.Reopen(DbOptions(policies[read_with], layout));
        const Ran ran = Doctor(db, "--json --no-forecast");
        const bool is_used = FamilyOf(ran)["ssts"][0]["use"] == "used";
        const bool is_rocksdbs = written_with >= 2 && read_with >= 1;
        EXPECT_EQ(is_used,
                  read_with < 4 && (is_rocksdbs || read_with == written_with));
        EXPECT_EQ(ran.exit_code, is_used ? 0 : 2);
        EXPECT_NEAR(FalsePositives(FamilyOf(ran)), is_used ? 0.01 : 1, 0.005);
        EXPECT_EQ(DeniedOf100(&db) > 90, is_used);
      }
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
