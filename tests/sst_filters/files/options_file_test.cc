// SPDX-License-Identifier: Apache-2.0

// Tests how `sst_filters doctor` uses the options in OPTIONS files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

PolicyPtr PolicyWith(const rocksdb::CassandraBloomOptions& options) {
  return PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options));
}

rocksdb::Options OptionsForHits() {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.optimize_filters_for_hits = true;
  return options;
}

rocksdb::Options NoneAtTheBottom() {
  rocksdb::CassandraBloomOptions none;
  none.bottommost_bits = 0;
  return DbOptions(PolicyWith(none));
}

// Returns options for filters that hold only prefixes. `extractor` may be null.
rocksdb::Options PrefixesAlone(const rocksdb::SliceTransform* extractor,
                               const PolicyPtr& policy = OurPolicy()) {
  rocksdb::BlockBasedTableOptions table = TableOptions(policy);
  table.whole_key_filtering = false;
  rocksdb::Options options = DbOptions(table);
  options.prefix_extractor.reset(extractor);
  return options;
}

void ReplaceIn(const std::string& file, const std::string& text,
               const std::string& instead) {
  std::string content = ReadFile(file);
  const size_t at = content.find(text);
  ASSERT_NE(at, std::string::npos) << content;
  WriteFile(file, content.replace(at, text.size(), instead));
}

// Expects sst_filters doctor to find no fault. It must count `good` files with
// a filter of cassandra_bloom, and `none_expected` files that need no filter.
void ExpectWell(const TestDb& db, int good, int none_expected) {
  const Ran ran = Exits(0, Doctor(db));
  ExpectFiles(VerdictOf(ran),
              {{"good", good}, {"none_expected", none_expected}});
  const Json family = ran.json()["column_families"][0];
  int with_our_filter = 0;
  for (const Json& level : family["levels"]) {
    with_our_filter += level["with_our_filter"].get<int>();
  }
  EXPECT_EQ(with_our_filter, good);
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr(std::to_string(none_expected) +
                                  " to which the options give no filter\n"));
  EXPECT_THAT(text.out, HasSubstr("all is well: every SST file to which the "
                                  "options give a filter has our filter (" +
                                  std::to_string(none_expected) + " SST file"));
  EXPECT_THAT(text.out, HasSubstr("(no filter)                           -"));
}

void ExpectUnfiltered(const TestDb& db, int good, int unfiltered) {
  const Ran ran = Exits(1, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"good", good}, {"unfiltered", unfiltered}});
}

TEST(DoctorOptionsTest, FiltersForHits) {
  rocksdb::Options options = OptionsForHits();
  FilledDb db(options);
  db.Compact();
  AddFile(&db, 500, 1500);
  ExpectWell(db, 1, 1);
  options.optimize_filters_for_hits = false;
  db.Reopen(options);
  ExpectUnfiltered(db, 1, 1);
  EXPECT_THAT(VerdictOf(Doctor(db))["findings"][0]["to_do"],
              HasSubstr("the options now give it one: compact it"));
  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

// With optimize_filters_for_hits, RocksDB asks no filter in the last level,
// even if the files have filters.
TEST(DoctorOptionsTest, FiltersForHitsAreNotAskedInTheLastLevel) {
  FilledDb db;
  db.Compact();
  AddFile(&db, 0, 1000);
  EXPECT_NEAR(FalsePositives(VerdictOf(Doctor(db))), 2 * 0.008, 0.008);
  db.Reopen(OptionsForHits());
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_NEAR(FalsePositives(VerdictOf(ran)), 1.008, 0.008);
  db.ResetStatistics();
  std::string value;
  for (const std::string& key : NumberedDataset(1000, 500).absent) {
    ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key, &value).IsNotFound());
  }
  const uint64_t useful = db.Ticker(rocksdb::BLOOM_FILTER_USEFUL);
  EXPECT_GT(useful, 480);
  EXPECT_LE(useful, 500);
}

// The last two levels have no keys in common, so all files are bottommost.
TEST(DoctorOptionsTest, BottommostFilesOfAnUpperLevel) {
  TestDb db(NoneAtTheBottom());
  const auto compact_to = [&](int level) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    std::vector<std::string> names;
    for (const auto& file : files) {
      if (file.level == 0) {
        names.push_back(file.name);
      }
    }
    Require(db->CompactFiles(rocksdb::CompactionOptions(), names, level));
  };
  AddFile(&db, 0, 1000);
  AddFile(&db, 0, 1000);
  compact_to(6);
  AddFile(&db, 2000, 3000);
  AddFile(&db, 2000, 3000);
  compact_to(5);
  ExpectWell(db, 0, 2);
  // A file is not bottommost if a deeper level has some of its keys.
  AddFile(&db, 500, 700);
  AddFile(&db, 500, 700);
  compact_to(5);
  ExpectWell(db, 1, 2);
}

// For RocksDB, a flushed file is never bottommost.
TEST(DoctorOptionsTest, FlushedFilesAreNotBottommost) {
  FilledDb db(DbOptions(PolicyPtr()));
  AddFile(&db, 0, 1000);
  db.Reopen(NoneAtTheBottom());
  ExpectUnfiltered(db, 0, 2);
  db.Reopen(OptionsForHits());
  ExpectUnfiltered(db, 0, 2);
  EXPECT_THAT(VerdictOf(Doctor(db))["findings"][0]["to_do"],
              HasSubstr("written before the policy was switched on: compact"));
  db.Compact();
  ExpectWell(db, 0, 1);
}

TEST(DoctorOptionsTest, FilesCompactedIntoLevel0MayBeBottommost) {
  rocksdb::Options options = NoneAtTheBottom();
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.num_levels = 1;
  FilledDb db(options);
  AddFile(&db, 0, 1000);
  db.Compact();
  ExpectWell(db, 0, 1);
  options = OptionsForHits();
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.num_levels = 1;
  db.Reopen(options);
  db.Compact();
  ExpectWell(db, 0, 1);
}

TEST(DoctorOptionsTest, BitsByLevel) {
  rocksdb::CassandraBloomOptions by_level;
  by_level.level_bits = {16, 12, 0};
  rocksdb::Options options = DbOptions(PolicyWith(by_level));
  FilledDb db(options);
  rocksdb::CompactRangeOptions compact;
  compact.change_level = true;
  compact.target_level = 2;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  Require(db->CompactRange(compact, nullptr, nullptr));
  db.Compact();
  AddFile(&db, 500, 1500);
  ExpectWell(db, 1, 1);

  // SstFileWriter does not know the level of its file. So the policy uses the
  // bits of the last level. These are 0, so the file gets no filter.
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Require(writer.Open(dir / "ingested.sst"));
  Require(writer.Put(NumberedKey(1200), ""));
  Require(writer.Finish());
  Require(db->IngestExternalFile({dir / "ingested.sst"}, {}));
  ExpectWell(db, 1, 2);
  db.Reopen(DbOptions(OurPolicy()));
  ExpectUnfiltered(db, 1, 2);
}

TEST(DoctorOptionsTest, APolicyThatBuildsNothing) {
  FilledDb db(DbOptions(OurPolicy(0)));
  ExpectWell(db, 0, 1);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("default: on, filter_policy=cassandra_bloom:0\n"));
  db.Reopen(DbOptions(OurPolicy()));
  ExpectUnfiltered(db, 0, 1);
}

TEST(DoctorOptionsTest, NoAdviceAgainstThePurpose) {
  rocksdb::Options options = OptionsForHits();
  TestDb db(options);
  AddFile(&db, 0, 20000);
  db.Compact();
  AddFile(&db, 0, 2000);
  AddFile(&db, 0, 20);
  EXPECT_EQ(VerdictOf(Doctor(db))["findings"], Json::array());
}

TEST(DoctorOptionsTest, NoMonkeyForLevel0Alone) {
  TestDb db(DbOptions(OurPolicy()));
  AddFile(&db, 0, 20000);
  AddFile(&db, 0, 2000);
  AddFile(&db, 0, 200);
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_EQ(VerdictOf(ran)["findings"], Json::array());
}

TEST(DoctorOptionsTest, MonkeyInPlaceOfAChance) {
  rocksdb::Options options =
      DbOptions(PolicyPtr(rocksdb::NewCassandraBloomPolicyForFpChance(0.01)));
  // With dynamic levels, sst_filters doctor advises `mix`.
  options.level_compaction_dynamic_level_bytes = false;
  TestDb db(options);
  AddFile(&db, 0, 20000);
  db.Compact();
  AddFile(&db, 0, 2000);
  AddFile(&db, 0, 20);
  const Json findings = VerdictOf(Doctor(db))["findings"];
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0]["to_do"],
              HasSubstr("bits_per_key and allocation=monkey in the options of "
                        "the policy, in place of its other sizes (with "
                        "level_compaction_dynamic_level_bytes=true"));
}

TEST(DoctorOptionsTest, PrefixesAloneWithoutAnExtractor) {
  FilledDb db(PrefixesAlone(nullptr));
  const Ran ran = Exits(1, Doctor(db));
  const Json finding = VerdictOf(ran)["findings"][0];
  EXPECT_THAT(finding["what"], HasSubstr("there is no prefix_extractor"));
  EXPECT_THAT(finding["to_do"], HasSubstr("set a prefix_extractor, or "
                                          "whole_key_filtering=true; then"));
  db.Reopen(PrefixesAlone(rocksdb::NewFixedPrefixTransform(7)));
  EXPECT_THAT(VerdictOf(Doctor(db))["findings"][0]["to_do"],
              HasSubstr("compact it"));
  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(DoctorOptionsTest, PrefixesOfKeysThatHaveNone) {
  FilledDb db(PrefixesAlone(rocksdb::NewFixedPrefixTransform(20)));
  ExpectWell(db, 0, 1);
  db.Reopen(PrefixesAlone(rocksdb::NewFixedPrefixTransform(7)));
  ExpectUnfiltered(db, 0, 1);
}

// RocksDB stores the policy's name even in an SST file for which the policy
// built no filter.
TEST(DoctorOptionsTest, PrefixesThatNoFilterHolds) {
  FilledDb db(PrefixesAlone(rocksdb::NewFixedPrefixTransform(7), OurPolicy(0)));
  ExpectWell(db, 0, 1);
  db.Reopen(PrefixesAlone(rocksdb::NewFixedPrefixTransform(7)));
  AddFile(&db, 0, 1000);
  ExpectUnfiltered(db, 1, 1);
  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

// sst_filters doctor does not know this extractor. So it cannot know that the
// keys have no prefix, and a missing filter must be a fault.
TEST(DoctorOptionsTest, PrefixesOfAnExtractorThatIsNotKnown) {
  class NoPrefixes final : public rocksdb::SliceTransform {
   public:
    const char* Name() const override { return "no prefixes"; }
    rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
      return key;
    }
    bool InDomain(const rocksdb::Slice& /*key*/) const override {
      return false;
    }
  };
  FilledDb db(PrefixesAlone(new NoPrefixes));
  ExpectUnfiltered(db, 0, 1);
}

class DoctorOptionsFileTest : public ::testing::Test {
 protected:
  DoctorOptionsFileTest() : db_(DbOptions(OurPolicy())) {
    AddFile(&db_, 0, 1000);
    db_.Close();
    file_ = NewestOptionsOf(db_);
    content_ = ReadFile(file_);
  }

  void ExpectFault(const std::vector<std::string>& parts) {
    const Ran ran = Exits(1, Doctor(db_));
    EXPECT_EQ(ran.json()["column_families"][0]["on"], false);
    const Json findings = VerdictOf(ran)["findings"];
    ASSERT_EQ(findings.size(), 1) << ran;
    for (const std::string& part : parts) {
      EXPECT_THAT(findings[0]["what"], HasSubstr(part));
    }
    EXPECT_THAT(findings[0].dump(), Not(HasSubstr("no filter policy")));
    EXPECT_THAT(Doctor(db_, "").out, Not(HasSubstr("no filter policy")));
  }

  TestDb db_;
  std::string file_;
  std::string content_;
};

TEST_F(DoctorOptionsFileTest, IsMissing) {
  fs::remove(file_);
  ExpectFault({"not known: the database has no OPTIONS file"});
  EXPECT_THAT(Doctor(db_, "").out, HasSubstr("as it is: not known"));
}

TEST_F(DoctorOptionsFileTest, IsAFolder) {
  fs::create_directory(db_.path() + "/OPTIONS-000099");
  ExpectFault({"OPTIONS-000099 cannot be read"});
}

// A file that was cut before the end of the policy's line is a fault.
TEST_F(DoctorOptionsFileTest, IsCut) {
  const size_t policy = content_.find("  filter_policy=");
  const size_t end = content_.find('\n', policy);
  ASSERT_NE(policy, std::string::npos);
  for (const size_t size : {size_t{0}, size_t{1}, content_.find("[CFOptions"),
                            policy / 2, policy, policy + 20, end - 1, end}) {
    SCOPED_TRACE(size);
    WriteFile(file_, content_.substr(0, size));
    ExpectFault({fs::path(file_).filename(),
                 "has no filter_policy for this column family"});
  }
  WriteFile(file_, content_.substr(0, end + 1));
  EXPECT_EQ(Doctor(db_).exit_code, 0);
}

TEST_F(DoctorOptionsFileTest, ItsPolicyIsRefused) {
  for (const char* const refused :
       {"cassandra_bloom:abc", "{id=cassandra_bloom;bits_per_key=abc}"}) {
    SCOPED_TRACE(refused);
    WriteFile(file_, content_);
    ReplaceIn(file_, "cassandra_bloom:10", refused);
    ExpectFault({std::string("'") + refused + "', which is refused",
                 "bits_per_key 'abc' is not a number from 0 to 100"});
    EXPECT_THAT(Doctor(db_, "").out,
                HasSubstr(std::string("off, filter_policy=") + refused +
                          ", which is refused\n"));
  }
}

// RocksDB drops an unknown policy without an error. So sst_filters doctor must
// report the policy.
TEST_F(DoctorOptionsFileTest, ItsPolicyIsUnknown) {
  ReplaceIn(file_, "cassandra_bloom:10", "casandra_bloom:10");
  ExpectFault({"the filter policy in the OPTIONS file is 'casandra_bloom:10'"});
}

TEST_F(DoctorOptionsFileTest, TheLongFormIsUnderstood) {
  ReplaceIn(file_, "cassandra_bloom:10",
            "{id=cassandra_bloom;level_bits=10,8}");
  EXPECT_EQ(Exits(0, Doctor(db_)).json()["column_families"][0]["filter_policy"],
            "cassandra_bloom:level_bits:10,8");
}

}  // namespace
}  // namespace cassandra_bloom::testing
