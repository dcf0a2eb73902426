// SPDX-License-Identifier: Apache-2.0

// Tests whether RocksDB asks the filters as `sst_filters doctor` says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

enum Policy { kCassandra, kBeside, kBloom, kRibbon, kOther };
constexpr const char* kPolicyNames[] = {"Cassandra", "Beside", "Bloom",
                                        "Ribbon", "Other"};
// kOther is only a kind of filter. Where a policy is meant, this value means
// that there is no policy.
constexpr Policy kNoPolicy = kOther;

PolicyPtr Make(Policy policy) {
  switch (policy) {
    case kCassandra:
      return OurPolicy();
    case kBeside:
      return BesideRocksdb();
    case kRibbon:
      return RibbonPolicy();
    case kBloom:
      return BuiltinPolicy();
    default:
      return nullptr;
  }
}

// Returns options that build filters of this kind. kOther is RocksDB's legacy
// Bloom filter.
rocksdb::Options OptionsThatBuild(Policy kind, Layout layout) {
  rocksdb::BlockBasedTableOptions table =
      TableOptions(kind == kOther ? BuiltinPolicy() : Make(kind), layout);
  table.format_version = kind == kOther ? 4 : 5;
  return DbOptions(table);
}

constexpr char kAsked[] = "asked";
constexpr char kMatches[] = "every_key_matches";
constexpr char kNot[] = "not_asked";

// The row is the kind of the filter, and the column is the policy.
constexpr const char* kUses[5][5] = {
    {kAsked, kNot, kNot, kNot, kNot},          // cassandra
    {kNot, kAsked, kMatches, kMatches, kNot},  // beside
    {kNot, kAsked, kAsked, kAsked, kNot},      // Bloom
    {kNot, kAsked, kAsked, kAsked, kNot},      // Ribbon
    {kNot, kAsked, kAsked, kAsked, kNot}};     // another of RocksDB's

constexpr const char* kKinds[] = {"cassandra", "rocksdb", "rocksdbs_bloom",
                                  "rocksdbs_ribbon", "rocksdbs_other"};

class PolicyInUseTest
    : public ::testing::TestWithParam<std::tuple<Policy, Policy>> {
 protected:
  const Policy kind_ = std::get<0>(GetParam());
  const Policy policy_ = std::get<1>(GetParam());
};

TEST_P(PolicyInUseTest, IsAsDoctorSays) {
  for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
    SCOPED_TRACE(ToString(layout));
    FilledDb db(OptionsThatBuild(kind_, layout));
    db.Reopen(DbOptions(Make(policy_), layout));
    const std::string expected = kUses[kind_][policy_];
    const Json family = Doctor(db).json()["column_families"][0];
    const Json sst = family["ssts"][0];
    // RocksDB's Ribbon policy builds Bloom filters for few keys.
    const bool may_be_bloom =
        kind_ == kRibbon && layout == Layout::kPartitioned;
    EXPECT_TRUE(sst["kind"] == kKinds[kind_] ||
                (may_be_bloom && sst["kind"] == kKinds[kBloom]))
        << sst["kind"];
    EXPECT_EQ(sst["use"], expected);
    EXPECT_EQ(sst["filter"], layout == Layout::kFull ? "full" : "partitioned");
    // The legacy Bloom filter lets more keys pass than the others.
    EXPECT_NEAR(FalsePositives(family["verdict"]),
                expected == kAsked ? 0.01 : 1, 0.008);

    db.ResetStatistics();
    std::string value;
    for (const std::string& key : NumberedDataset(1000, 500).absent) {
      ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key, &value).IsNotFound());
    }
    if (expected == kAsked) {
      EXPECT_GT(db.ReadsFiltered(), 480);
    } else {
      EXPECT_EQ(db.ReadsFiltered(), 0);
      EXPECT_EQ(db.Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
                expected == kMatches ? 500 : 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PolicyInUseTest,
    ::testing::Combine(
        ::testing::Values(kCassandra, kBeside, kBloom, kRibbon, kOther),
        ::testing::Values(kCassandra, kBeside, kBloom, kRibbon, kNoPolicy)),
    [](const auto& test) {
      const Policy policy = std::get<1>(test.param);
      return std::string(kPolicyNames[std::get<0>(test.param)]) + "With" +
             (policy == kNoPolicy ? "None" : kPolicyNames[policy]);
    });

Json OnlyFault(const TestDb& db) {
  const Json findings = VerdictOf(Exits(1, Doctor(db)))["findings"];
  EXPECT_EQ(findings.size(), 1) << findings;
  EXPECT_EQ(findings[0]["fault"], true);
  return findings[0];
}

TEST(OtherFormTest, ChangingBlocksHelpsAtOnce) {
  FilledDb db(DbOptions(BesideRocksdb()), 2);
  EXPECT_EQ(Doctor(db).exit_code, 0);
  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 2000, 2500);
  ExpectFiles(VerdictOf(Doctor(db)), {{"good", 1}, {"other_form", 2}});
  const Json fault = OnlyFault(db);
  EXPECT_EQ(fault["what"],
            "a filter of blocks=rocksdb, which is not used with "
            "blocks=cassandra");
  EXPECT_THAT(fault["to_do"], HasSubstr("before blocks was changed: compact"));
  EXPECT_THAT(
      fault["to_do"],
      HasSubstr("; or set blocks=rocksdb, which uses it at once, but no "
                "longer the filter of 1 other SST file"));
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("1 with our filter, 2 with one of other blocks\n"));
  db.Reopen(DbOptions(BesideRocksdb()));
  ExpectFiles(VerdictOf(Doctor(db)), {{"good", 2}, {"other_form", 1}});
  const Json other = OnlyFault(db);
  EXPECT_EQ(other["what"],
            "a filter of blocks=cassandra, which is not used with "
            "blocks=rocksdb");
  EXPECT_THAT(other["to_do"], Not(HasSubstr("; or")));
  db.Compact();
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(OtherFormTest, LeavingOutBlocksHelpsAtOnce) {
  FilledDb db;
  db.Reopen(DbOptions(BesideRocksdb()));
  EXPECT_THAT(
      OnlyFault(db)["to_do"],
      HasSubstr("; or leave out blocks=rocksdb, which uses it at once"));
  db.Reopen(DbOptions(OurPolicy()));
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

TEST(OtherFormTest, RocksdbsFiltersAreUsedWithBlocksRocksdb) {
  FilledDb db(DbOptions(BuiltinPolicy()), 2);
  db.Reopen(DbOptions(OurPolicy()));
  ExpectFiles(VerdictOf(Doctor(db)), {{"other_policy", 2}});
  const Json fault = OnlyFault(db);
  EXPECT_EQ(fault["what"],
            "RocksDB's Bloom filter, which is not used with blocks=cassandra");
  EXPECT_THAT(fault["to_do"],
              HasSubstr("before the policy was switched on: compact it"));
  EXPECT_THAT(fault["to_do"], HasSubstr("; or set blocks=rocksdb, which uses "
                                        "it at once"));
  EXPECT_THAT(fault["to_do"], Not(HasSubstr("no longer")));
  db.Reopen(DbOptions(BesideRocksdb()));
  EXPECT_EQ(Doctor(db).exit_code, 0);
}

// A policy that writes RocksDB's own filters needs blocks=rocksdb. So filterdb
// doctor must not advise to leave out blocks=rocksdb.
TEST(OtherFormTest, NoAdviceToLeaveOutBlocksThatIsRefused) {
  for (const PolicyPtr& policy : {Mix(), PolicyOf(Types("bloom", "")),
                                  PolicyOf(Types("cassandra", "ribbon"))}) {
    FilledDb db;
    db.Reopen(DbOptions(policy));
    EXPECT_THAT(OnlyFault(db)["to_do"], Not(HasSubstr("; or")))
        << policy->GetId();
  }
}

// With blocks=rocksdb, the filter of the larger file would not be used. So
// sst_filters doctor must not advise blocks=rocksdb.
TEST(OtherFormTest, NoAdviceThatLosesFilters) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 0, 3000);
  EXPECT_THAT(OnlyFault(db)["to_do"], Not(HasSubstr("blocks=rocksdb")));
  db.Reopen(DbOptions(nullptr));
  EXPECT_THAT(VerdictOf(Doctor(db))["findings"][0]["to_do"],
              HasSubstr("filter_policy=cassandra_bloom:10, in a process"));
}

// cassandra_bloom refuses blocks=rocksdb together with partition keys.
TEST(OtherFormTest, NoAdviceThatIsRefused) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Reopen(DbOptions(PolicyFor("fixed:8")));
  EXPECT_THAT(OnlyFault(db)["to_do"], Not(HasSubstr("blocks=rocksdb")));
  AddFile(&db, 0, 3000);
  db.Reopen(DbOptions(BuiltinPolicy()));
  const Json family = Doctor(db).json()["column_families"][0];
  EXPECT_EQ(family["advised_policy"],
            "cassandra_bloom:10:partition_key:fixed:8");
  ExpectFiles(family["verdict"], {{"good", 1}, {"other_policy", 1}});
  db.Reopen(DbOptions(BesideRocksdb()));
  ExpectFiles(VerdictOf(Doctor(db)),
              {{"rocksdbs", 1}, {"other_partition_keys", 1}});
}

TEST(StockPolicyTest, ItsFiltersAreUsedFromTheFirstOpenOn) {
  for (const PolicyPtr& policy : {BuiltinPolicy(), RibbonPolicy()}) {
    FilledDb db(DbOptions(policy));
    const Ran ran = Exits(1, Doctor(db));
    EXPECT_NEAR(FalsePositives(VerdictOf(ran)), 0.01, 0.004);
    ExpectFiles(VerdictOf(ran), {{"rocksdbs", 1}});
    EXPECT_EQ(OnlyFault(db)["to_do"],
              "open the database with "
              "filter_policy=cassandra_bloom:10:blocks:rocksdb");
    EXPECT_THAT(Doctor(db, "").out,
                HasSubstr(", as RocksDB's own policy reads the filters"));
    db.Reopen(DbOptions(BesideRocksdb()));
    EXPECT_EQ(Doctor(db).exit_code, 0);
  }
}

TEST(StockPolicyTest, OurFiltersMatchEveryKey) {
  FilledDb db(DbOptions(BesideRocksdb()), 2);
  db.Reopen(DbOptions(BuiltinPolicy()));
  AddFile(&db, 2000, 2500);
  EXPECT_NEAR(FalsePositives(VerdictOf(Doctor(db))), 2.01, 0.008);
  const Json fault = OnlyFault(db);
  EXPECT_EQ(fault["files"].size(), 2);
  EXPECT_THAT(fault["what"],
              HasSubstr("reads our filters as ones that every key matches"));
  EXPECT_THAT(fault["to_do"],
              HasSubstr("filter_policy=cassandra_bloom:10:blocks:rocksdb, in a "
                        "process that has loaded"));
  EXPECT_THAT(fault["to_do"], HasSubstr("compact the files"));
}

// Writes the policy as RocksDB's C interface does: without its settings.
void HideSettings(const TestDb& db) {
  const std::string file = NewestOptionsOf(db);
  const std::string key = "  filter_policy=";
  std::string content = ReadFile(file);
  const size_t begin = content.find(key) + key.size();
  content.replace(begin, content.find('\n', begin) - begin, "cassandra_bloom");
  WriteFile(file, content);
}

TEST(HiddenSettingsTest, TheNewestFilterOfOursTells) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Reopen(DbOptions(BesideRocksdb()));
  AddFile(&db, 1000, 2000);
  HideSettings(db);
  const Ran ran = Exits(0, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"good", 1}, {"rocksdbs", 1}});
  EXPECT_EQ(ran.json()["column_families"][0]["blocks"], nullptr);
  const Json advice = VerdictOf(ran)["findings"][0];
  EXPECT_EQ(advice["fault"], false);
  EXPECT_EQ(advice["files"].size(), 2);
  EXPECT_THAT(advice["what"], HasSubstr("takes it to be set"));
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("if the program sets `blocks` as for its "
                                  "newest filter\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("filter, used")));
}

// The SST file names cassandra_bloom as its policy, but has RocksDB's own
// filter. cassandra_bloom writes such a filter only with blocks=rocksdb. So
// this option was set.
TEST(HiddenSettingsTest, AFilterOfRocksdbsThatOurPolicyWroteTells) {
  FilledDb db(DbOptions(PolicyOf(Types("bloom", ""))));
  HideSettings(db);
  const Ran ran = Exits(0, Doctor(db));
  ExpectFiles(VerdictOf(ran), {{"rocksdbs", 1}});
  EXPECT_THAT(VerdictOf(ran)["findings"][0]["what"],
              HasSubstr("takes it to be set"));
}

// One filter needs blocks=rocksdb, and the other needs blocks=cassandra. So one
// of them is not used, with either value of `blocks`.
TEST(HiddenSettingsTest, BothFormsAreAFault) {
  FilledDb db(DbOptions(BesideRocksdb()));
  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 1000, 2000);
  HideSettings(db);
  const Json verdict = VerdictOf(Exits(1, Doctor(db)));
  ExpectFiles(verdict, {{"good", 1}, {"other_form", 1}});
  EXPECT_THAT(verdict["findings"][0]["what"],
              HasSubstr("takes it not to be set"));
}

TEST(HiddenSettingsTest, WithoutAFilterOfOursNothingIsCalledWell) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Reopen(DbOptions(BesideRocksdb()));
  HideSettings(db);
  ExpectFiles(VerdictOf(Exits(1, Doctor(db))), {{"other_policy", 1}});
}

TEST(HiddenSettingsTest, OnlyTheDefaultForm) {
  FilledDb db;
  HideSettings(db);
  EXPECT_EQ(VerdictOf(Exits(0, Doctor(db)))["findings"], Json::array());
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("all is well: every SST file has our filter, if the "
                        "program sets `blocks` as for its newest filter\n"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
