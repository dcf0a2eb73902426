// SPDX-License-Identifier: Apache-2.0

// Tests that `sst_filters doctor` says what it could not ask, with exit status
// 2, and never calls such filters used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <filesystem>
#include <string>

#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

// Expects that doctor could not ask, because of `why`.
void ExpectNotAsked(const TestDb& db, const std::string& why) {
  const Ran ran = Exits(2, Doctor(db));
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

class OwnComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "OwnComparator"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

TEST(DoctorNotAskedTest, AComparatorOfTheProgram) {
  static const OwnComparator comparator;
  for (const bool for_hits : {false, true}) {
    rocksdb::Options options = DbOptions(OurPolicy());
    options.comparator = &comparator;
    options.optimize_filters_for_hits = for_hits;
    FilledDb db(options);
    db.Compact();
    ExpectNotAsked(db, "its comparator 'OwnComparator' is not known here");
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
}

TEST(DoctorNotAskedTest, NoOptionsFile) {
  FilledDb db;
  db.Close();
  for (const std::string& name : NamesIn(db.path())) {
    if (name.rfind("OPTIONS-", 0) == 0) {
      std::filesystem::remove(db.path() + "/" + name);
    }
  }
  ExpectNotAsked(db, "the OPTIONS file of the database is missing");
  EXPECT_EQ(AllOf(Doctor(db)), Json());
}

TEST(DoctorNotAskedTest, AnUnreadableOptionsFile) {
  const FilledDb db;
  WriteOption(db, "num_levels", "x7");
  ExpectNotAsked(db, "so the policy is not known: Invalid argument: ");
}

TEST(DoctorNotAskedTest, UnreadableFiles) {
  FilledDb db;
  const std::string sst = OnlySst(db);
  db.Close();
  WriteFile(sst, std::string(ReadFile(sst).size(), 'x'));
  ExpectNotAsked(db, "RocksDB cannot read it: Corruption");
  std::filesystem::remove(sst);
  ExpectNotAsked(db, "No such file");
}

// A file that cannot be read does not hide that the filter above it is used.
TEST(DoctorNotAskedTest, AboveAnUnreadableFile) {
  FilledDb db;
  db.Compact();
  const std::string sst = OnlySst(db);
  AddFile(&db, 0, 1000);
  db.Close();
  WriteFile(sst, std::string(ReadFile(sst).size(), 'x'));
  const Json ssts = FamilyOf(Exits(2, Doctor(db)))["ssts"];
  ASSERT_EQ(ssts.size(), 2U);
  EXPECT_EQ(ssts[0]["use"], "used");
  EXPECT_EQ(ssts[1]["use"], "not_asked");
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
