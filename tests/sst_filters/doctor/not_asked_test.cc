// SPDX-License-Identifier: Apache-2.0

// Tests that `sst_filters doctor` says what it could not ask, with exit status
// 3, and never calls such filters used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <filesystem>
#include <string>

#include "tests/export/export_fixture.h"
#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/sst_filters/opened_files.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

// Expects that doctor could not ask, because of `why`.
void ExpectNotAsked(const TestDb& db, const std::string& why) {
  const Ran ran = Exits(3, Doctor(db));
  EXPECT_EQ(ran.err, "");
  const Json problem = ProblemOf(ran);
  EXPECT_EQ(problem["use"], "not_asked");
  EXPECT_THAT(problem["why"].get<std::string>(), HasSubstr(why));
  const std::string text = Doctor(db, "").out;
  EXPECT_THAT(text, HasSubstr("\n  could not be asked: "));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\nnot all could be asked, so it is not known whether all is well"));
}

// What needs no look-up is said.
void ExpectSizesAreShown(const TestDb& db) {
  const Json family = FamilyOf(Doctor(db));
  EXPECT_EQ(AllOf(family)["keys"], 1000);
  EXPECT_NEAR(AllOf(family)["bits_per_key"], 10, 0.2);
  EXPECT_EQ(AllOf(family)["false_positives"], Json());
  EXPECT_EQ(AllOf(family)["asked_by_get"], Json());
  EXPECT_EQ(family["ssts"][0]["policy"], "cassandra_bloom");
}

rocksdb::Options WithOwnComparator() {
  static const OwnComparator comparator;
  rocksdb::Options options = DbOptions(OurPolicy());
  options.comparator = &comparator;
  return options;
}

TEST(DoctorNotAskedTest, AComparatorOfTheProgram) {
  for (const bool for_hits : {false, true}) {
    rocksdb::Options options = WithOwnComparator();
    options.optimize_filters_for_hits = for_hits;
    FilledDb db(options);
    db.Compact();
    ExpectNotAsked(db, "its comparator 'OwnComparator' is not known here");
    if (!for_hits) {
      ExpectSizesAreShown(db);
    }
  }
}

TEST(DoctorNotAskedTest, KeysInReverseOrderCanBeAsked) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.comparator = rocksdb::ReverseBytewiseComparator();
  const FilledDb db(options, 2);
  EXPECT_EQ(AllOf(Exits(0, Doctor(db)))["asked_by_get"], 2);
}

TEST(DoctorNotAskedTest, PlainTable) {
  rocksdb::Options options = DbOptions(OurPolicy());
  rocksdb::PlainTableOptions table;
  table.user_key_len = 9;
  options.table_factory.reset(rocksdb::NewPlainTableFactory(table));
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  options.allow_mmap_reads = true;
  const FilledDb db(options);
  ExpectNotAsked(db,
                 "its tables are not block-based (table_factory=PlainTable");
}

TEST(DoctorNotAskedTest, APolicyOfTheProgram) {
  const FilledDb db(
      DbOptions(std::make_shared<NamedPolicy>("Mine", OurPolicy())));
  ExpectNotAsked(db, "its filter policy 'Mine' is not known here");
}

TEST(DoctorNotAskedTest, ARefusedPolicy) {
  const FilledDb db;
  WriteOption(db, "filter_policy", "cassandra_bloom:abc");
  ExpectNotAsked(db, "its filter policy is refused: ");
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("filter_policy=cassandra_bloom:abc"));
}

class OwnTransform final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "OwnTransform"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), 4};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= 4;
  }
};

TEST(DoctorNotAskedTest, APrefixExtractorOfTheProgram) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.prefix_extractor = std::make_shared<OwnTransform>();
  const FilledDb db(options);
  ExpectNotAsked(db, "its prefix_extractor 'OwnTransform' is not known here");
  ExpectSizesAreShown(db);
}

TEST(DoctorNotAskedTest, Timestamps) {
  rocksdb::Options options = DbOptions(OurPolicy());
  Require(rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts",
      &options.comparator));
  TestDb db(options);
  for (uint32_t i = 0; i < 1000; ++i) {
    Require(db->Put({}, NumberedKey(i), std::string(8, '\1'), ""));
  }
  db.Flush();
  ExpectNotAsked(db, "its keys have timestamps");
  ExpectSizesAreShown(db);
}

// A fault that shows without a look-up is not hidden.
TEST(DoctorNotAskedTest, AFaultBesideAnotherComparator) {
  rocksdb::Options options = WithOwnComparator();
  FilledDb db(options);
  options.table_factory = DbOptions(nullptr).table_factory;
  db.Reopen(options);
  EXPECT_THAT(Exits(2, Doctor(db, "")).out,
              HasSubstr("the OPTIONS file has no filter_policy"));
}

// A fault decides, and what could not be asked stands beside it.
TEST(DoctorNotAskedTest, AFaultBesideAnotherColumnFamily) {
  FilledDb db;
  db.Reopen(DbOptions(nullptr));
  AddColumnFamily(&db, "other", WithOwnComparator());
  EXPECT_THAT(Exits(2, Doctor(db, "")).out,
              HasSubstr("\nthere are faults, and not all could be asked; see "
                        "above what to do\n"));
}

TEST(DoctorNotAskedTest, NoOptionsFile) {
  FilledDb db;
  db.Close();
  RemoveFiles(db, "OPTIONS-");
  ExpectNotAsked(db, "the OPTIONS file of the database is missing");
  ExpectSizesAreShown(db);
  EXPECT_EQ(FamilyOf(Doctor(db))["settings"]["rows"], Json::array());
}

TEST(DoctorNotAskedTest, AnUnreadableOptionsFile) {
  const FilledDb db;
  WriteOption(db, "num_levels", "x7");
  ExpectNotAsked(db, "so the policy is not known: Invalid argument: ");
}

// RocksDB then cannot read the SST file. Closes the database.
void Damage(TestDb* db, const std::string& sst) {
  db->Close();
  WriteFile(sst, std::string(ReadFile(sst).size(), 'x'));
}

// The database is opened again only if a file is gone, once for each.
TEST(DoctorNotAskedTest, UnreadableFiles) {
  FilledDb db;
  const auto opens = [&] {
    return OpenedFiles(db.path(), "CURRENT", [&] { Doctor(db); }).size();
  };
  const size_t of_one = opens();
  const std::string sst = OnlySst(db);
  Damage(&db, sst);
  ExpectNotAsked(db, "RocksDB cannot read it: Corruption");
  EXPECT_EQ(AllOf(Doctor(db)), Json());
  EXPECT_EQ(opens(), of_one);
  std::filesystem::remove(sst);
  ExpectNotAsked(db, "No such file");
  EXPECT_EQ(opens(), 2 * of_one);
}

#ifndef CASSANDRA_BLOOM_SANITIZED  // Sanitizers need address space themselves.
// Without memory, doctor ends with an error.
TEST(DoctorNotAskedTest, NoMemory) {
  const FilledDb db;
  const Ran ran = RunInShell(CASSANDRA_BLOOM_SST_FILTERS,
                             "doctor --db=" + db.path(), "ulimit -v 50000;");
  EXPECT_EQ(ran.exit_code, 3) << ran;
  EXPECT_THAT(ran.err, HasSubstr("32 MB more of address space"));
}
#endif

// A file that cannot be read does not hide that the filter above it is used.
TEST(DoctorNotAskedTest, AboveAnUnreadableFile) {
  FilledDb db;
  db.Compact();
  const std::string sst = OnlySst(db);
  AddFile(&db, 0, 1000);
  Damage(&db, sst);
  const Json family = FamilyOf(Exits(3, Doctor(db)));
  // What was not asked is in no sum.
  EXPECT_EQ(AllOf(family)["files"], 1);
  EXPECT_NEAR(FalsePositives(family), 0.0082, 0.003);
  const Json ssts = family["ssts"];
  ASSERT_EQ(ssts.size(), 2U);
  EXPECT_EQ(ssts[0]["use"], "used");
  EXPECT_EQ(ssts[1]["use"], "not_asked");
}

TEST(DoctorNotAskedTest, FilesOfLevelDbCanBeAsked) {
  FilledDb db;
  const std::string sst = OnlySst(db);
  db.Close();
  std::filesystem::rename(sst,
                          std::filesystem::path(sst).replace_extension(".ldb"));
  EXPECT_EQ(AllOf(Exits(0, Doctor(db)))["asked_by_get"], 1);
}

TEST(DoctorNotAskedTest, FilesInAnotherFolder) {
  FilledDb db;
  const TempDir other;
  const std::string sst = OnlySst(db);
  db.Close();
  std::filesystem::rename(
      sst, other / std::filesystem::path(sst).filename().string());
  ExpectNotAsked(db, "No such file");
  const Ran found = Exits(0, Doctor(db, "--json --db-path=" + other.path()));
  EXPECT_EQ(AllOf(found)["asked_by_get"], 1);
}

}  // namespace
}  // namespace cassandra_bloom::testing
