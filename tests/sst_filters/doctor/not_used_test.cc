// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says where RocksDB does not use a filter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>

#include <map>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Takes the ownership of `extractor`.
rocksdb::Options WithPrefixes(const rocksdb::SliceTransform* extractor,
                              bool whole_keys, Layout layout = Layout::kFull,
                              const PolicyPtr& policy = OurPolicy()) {
  rocksdb::BlockBasedTableOptions table = TableOptions(policy, layout);
  table.whole_key_filtering = whole_keys;
  rocksdb::Options options = DbOptions(table);
  options.prefix_extractor.reset(extractor);
  return options;
}

constexpr auto Capped = rocksdb::NewCappedPrefixTransform;
constexpr auto Fixed = rocksdb::NewFixedPrefixTransform;

// RocksDB opens a filter of prefixes of another extractor, and never asks it.
TEST(DoctorNotUsedTest, PrefixesOfAnotherExtractor) {
  for (const PolicyPtr& policy : {OurPolicy(), BuiltinPolicy()}) {
    for (const Layout layout : {Layout::kFull, Layout::kPartitioned}) {
      FilledDb db(
          WithPrefixes(Capped(7), /*whole_keys=*/false, layout, policy));
      const Json before = FamilyOf(Exits(0, Doctor(db)));
      EXPECT_EQ(AllOf(before)["asked_by_get"], 1);
      EXPECT_EQ(AllOf(before)["asked_by_seek"], 1);
      EXPECT_THAT(before["notes"].dump(),
                  HasSubstr("absent keys of present prefixes all pass"));

      for (const auto& options :
           {WithPrefixes(Capped(8), /*whole_keys=*/false, layout, policy),
            WithPrefixes(nullptr, /*whole_keys=*/false, layout, policy),
            WithPrefixes(nullptr, /*whole_keys=*/true, layout, policy)}) {
        db.Reopen(options);
        const Ran ran = Exits(2, Doctor(db));
        EXPECT_EQ(FalsePositives(FamilyOf(ran)), 1);
        EXPECT_EQ(FamilyOf(ran)["ssts"][0]["use"], "not_used");
        EXPECT_THAT(WhyOf(ran),
                    HasSubstr("its filter holds prefixes of the "
                              "prefix_extractor rocksdb.CappedPrefix.7, and "
                              "now that is "));
        EXPECT_THAT(RemedyOf(ran), HasSubstr("compact it"));
        EXPECT_EQ(DeniedOf100(&db), 0U);
      }
      db.Compact();
      Exits(0, Doctor(db));
    }
  }
}

// Filters with whole keys keep Get, and iterators lose them.
TEST(DoctorNotUsedTest, WholeKeysAndPrefixesOfAnotherExtractor) {
  FilledDb db(WithPrefixes(Capped(7), /*whole_keys=*/true));
  const Json before = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(AllOf(before)["asked_by_seek"], 1);
  EXPECT_EQ(before["notes"], Json::array());
  db.Reopen(WithPrefixes(Capped(8), /*whole_keys=*/true));
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(AllOf(family)["asked_by_get"], 1);
  EXPECT_EQ(AllOf(family)["asked_by_seek"], 0);
  EXPECT_EQ(family["reasons"].front()["use"], "used");
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("no fault: iterators do not ask its filter"));
}

// RocksDB skips the filter of the oldest file, if all files are in level 0.
TEST(DoctorNotUsedTest, FiltersForHitsInLevel0) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.optimize_filters_for_hits = true;
  TestDb db(options);
  AddFile(&db, 0, 1000);
  AddFile(&db, 0, 1000);
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_NEAR(FalsePositives(FamilyOf(ran)), 1.008, 0.004);
  EXPECT_EQ(AllOf(ran)["asked_by_get"], 1);
  EXPECT_GT(DeniedOf100(&db), 95U);

  // In a deeper level, compactions build no filter.
  db.Compact();
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(family["ssts"][0]["use"], "none_on_purpose");
  EXPECT_EQ(FalsePositives(family), 1);
  EXPECT_THAT(Doctor(db, "").out,
              HasSubstr("no fault: no filter: optimize_filters_for_hits"));
}

// optimize_filters_for_hits excuses the files of the last level alone.
TEST(DoctorNotUsedTest, FiltersForHitsAboveTheLastLevel) {
  TestDb db(DbOptions(OurPolicy()));
  for (const int level : {6, 3}) {
    AddFile(&db, 0, 1000);
    CompactLevel0To(level, db);
  }
  rocksdb::Options options = WithPrefixes(Capped(4), /*whole_keys=*/false);
  options.optimize_filters_for_hits = true;
  db.Reopen(options);
  const Ran ran = Exits(2, Doctor(db));
  const Json problem = ProblemOf(ran);
  EXPECT_THAT(problem["why"].get<std::string>(),
              HasSubstr("holds whole keys, and whole_key_filtering is off"));
  EXPECT_EQ(problem["levels"].size(), 1U);
  EXPECT_EQ(problem["levels"]["3"].size(), 1U);
  EXPECT_EQ(FamilyOf(ran)["ssts"][1]["use"], "none_on_purpose");
  EXPECT_EQ(DeniedOf100(&db), 0U);
}

// In level 0, optimize_filters_for_hits excuses the oldest file alone, and none
// if there is a deeper level.
TEST(DoctorNotUsedTest, FiltersForHitsInLevel0WithoutFilters) {
  for (const bool has_deeper : {false, true}) {
    TestDb db(DbOptions(nullptr));
    if (has_deeper) {
      AddFile(&db, 5000, 6000);
      CompactLevel0To(3, db);
    }
    for (int i = 0; i < 3; ++i) {
      AddFile(&db, 0, 1000);
    }
    rocksdb::Options options = DbOptions(OurPolicy());
    options.optimize_filters_for_hits = true;
    db.Reopen(options);
    const Json problem = ProblemOf(Exits(2, Doctor(db)));
    EXPECT_EQ(problem["levels"]["0"].size(), has_deeper ? 3U : 2U);
  }
}

// A policy that nobody asked for is not missing. But it is if a file names one:
// then a process has dropped it.
TEST(DoctorNotUsedTest, NoPolicy) {
  FilledDb db(DbOptions(nullptr));
  const Ran text = Exits(0, Doctor(db, ""));
  EXPECT_THAT(text.out, HasSubstr("false positives of an absent key  1\n"));
  EXPECT_THAT(text.out, HasSubstr("\nno SST file has a filter, which is no "
                                  "fault: see above why\n"));
  EXPECT_EQ(FamilyOf(Doctor(db))["ssts"][0]["use"], "none_on_purpose");

  db.Reopen(DbOptions(OurPolicy()));
  AddFile(&db, 0, 1000);
  db.Reopen(DbOptions(nullptr));
  std::map<std::string, std::string> remedies;
  const Json family = FamilyOf(Exits(2, Doctor(db)));
  for (const Json& sst : family["ssts"]) {
    remedies[sst["why"]] = sst["to_do"];
  }
  EXPECT_THAT(
      remedies,
      UnorderedElementsAre(
          Pair(HasSubstr("no filter, as the OPTIONS file has no filter_policy"),
               HasSubstr("set filter_policy, then compact it")),
          Pair(HasSubstr("RocksDB does not look for its filter"),
               "set filter_policy again; the filter is then used as it is")));
}

// When all filters are compacted away, only older files name the policy. When
// these are gone, it is a column family that never had one.
TEST(DoctorNotUsedTest, ADroppedPolicy) {
  FilledDb db;
  db.Reopen(DbOptions(nullptr));
  db.Compact();
  EXPECT_THAT(WhyOf(Exits(2, Doctor(db))),
              MatchesRegex("no filter, as the OPTIONS file has no "
                           "filter_policy, but OPTIONS-[0-9]* names "
                           "'cassandra_bloom:10'"));
  db.Reopen(DbOptions(nullptr));
  const Ran ran = Exits(2, Doctor(db));
  EXPECT_THAT(WhyOf(ran), MatchesRegex(".*, but LOG.old.[0-9]* has a file of "
                                       "'cassandra_bloom'"));
  EXPECT_THAT(RemedyOf(ran), HasSubstr("set filter_policy, then compact it"));
  RemoveFiles(db, "LOG.old");
  EXPECT_EQ(FamilyOf(Exits(0, Doctor(db)))["ssts"][0]["use"],
            "none_on_purpose");
}

// Its name says nothing of a former column family.
TEST(DoctorNotUsedTest, AColumnFamilyOfTheSameName) {
  TestDb db(DbOptions(nullptr));
  AddColumnFamily(&db, "family", DbOptions(OurPolicy()),
                  /*is_dropped_again=*/true);
  AddColumnFamily(&db, "family", DbOptions(nullptr));
  Exits(0, Doctor(db));
}

// The remedies that doctor names help.
TEST(DoctorNotUsedTest, FilesFromBeforeTheSwitch) {
  for (const bool only_these : {false, true}) {
    TestDb db(DbOptions(nullptr));
    AddFile(&db, 0, 1000);
    CompactLevel0To(3, db);
    db.Reopen(DbOptions(OurPolicy()));
    AddFile(&db, 0, 1000);
    const Ran ran = Exits(2, Doctor(db));
    const Json problem = ProblemOf(ran);
    EXPECT_EQ(problem["why"], "no filter");
    EXPECT_NEAR(FalsePositives(FamilyOf(ran)), 1.008, 0.004);
    const std::string text = Doctor(db, "").out;
    EXPECT_THAT(text, HasSubstr("bottommost_level_compaction=kForce"));
    EXPECT_THAT(text, HasSubstr("DB::CompactFiles"));
    if (only_these) {
      const std::vector<std::string> files = problem["levels"]["3"];
      Require(db->CompactFiles(rocksdb::CompactionOptions(), files,
                               /*output_level=*/3));
    } else {
      db.Compact();
    }
    Exits(0, Doctor(db));
  }
}

// A policy may give some levels no filter.
TEST(DoctorNotUsedTest, ThePolicyGivesNone) {
  rocksdb::CassandraBloomOptions options;
  options.bottommost_bits = 0;
  TestDb db(DbOptions(
      PolicyPtr(rocksdb::NewCassandraBloomPolicyFromOptions(options))));
  AddFile(&db, 0, 1000);
  db.Compact();
  AddFile(&db, 0, 1000);
  const Json family = FamilyOf(Exits(0, Doctor(db)));
  EXPECT_EQ(family["ssts"][0]["use"], "used");
  EXPECT_EQ(family["ssts"][1]["why"], "no filter: the policy gives it none");
}

// RocksDB asks no filter, so nothing is said about prefixes.
TEST(DoctorNotUsedTest, NothingToHold) {
  const FilledDb db(WithPrefixes(nullptr, /*whole_keys=*/false));
  const Ran ran = Exits(2, Doctor(db));
  EXPECT_THAT(WhyOf(ran),
              HasSubstr("whole_key_filtering is off and there is no"));
  EXPECT_EQ(FamilyOf(ran)["notes"], Json::array());
}

// No key near the ends of the file has a prefix. A filter of prefixes is
// measured, and so is one of whole keys and prefixes, which is asked for
// prefixes, if whole keys are off now.
TEST(DoctorNotUsedTest, NoPrefixAtTheEnds) {
  for (const bool whole_keys : {false, true}) {
    TestDb db(WithPrefixes(Fixed(9), whole_keys));
    db.Put({{"a", ""}, {"z", ""}});
    AddFile(&db, 0, 1000);
    db.Reopen(WithPrefixes(Fixed(9), /*whole_keys=*/false));
    const Json family = FamilyOf(Exits(0, Doctor(db)));
    EXPECT_EQ(family["ssts"][0]["use"], "no_keys");
    EXPECT_NEAR(FalsePositives(family), 0.0082, 0.003);

    // RocksDB asks it for keys with prefixes.
    db.ResetStatistics();
    std::string value;
    for (uint32_t i = 1000; i < 1100; ++i) {
      EXPECT_TRUE(db->Get({}, NumberedKey(i), &value).IsNotFound());
    }
    EXPECT_GT(db.ReadsFiltered(), 95U);
  }
}

// RocksDB writes no filter of prefixes if no key has one.
TEST(DoctorNotUsedTest, NoKeyHasAPrefix) {
  for (const PolicyPtr& policy : {OurPolicy(), BuiltinPolicy()}) {
    const auto with_prefixes = [&](size_t length) {
      return WithPrefixes(Fixed(length), /*whole_keys=*/false, Layout::kFull,
                          policy);
    };
    FilledDb db(with_prefixes(100));
    const Json sst = FamilyOf(Exits(0, Doctor(db)))["ssts"][0];
    EXPECT_EQ(sst["filter_bytes"], 0);
    EXPECT_EQ(sst["why"],
              "no filter: neither its first nor its last key has a prefix");
    // With another extractor, compacting gives it one.
    db.Reopen(with_prefixes(4));
    EXPECT_EQ(ProblemOf(Exits(2, Doctor(db)))["why"], "no filter");
    db.Compact();
    Exits(0, Doctor(db));
  }
}

// The ends of the file have no prefix. The policy and the prefix extractor that
// the file names tell whether the keys between them may have some.
TEST(DoctorNotUsedTest, PrefixesBetweenTheEnds) {
  for (const bool has_policy : {false, true}) {
    TestDb db(WithPrefixes(Fixed(has_policy ? 100 : 9), /*whole_keys=*/false,
                           Layout::kFull, has_policy ? OurPolicy() : nullptr));
    db.Put({{"a", ""}, {"z", ""}});
    AddFile(&db, 0, 1000);
    db.Reopen(WithPrefixes(Fixed(9), /*whole_keys=*/false));
    EXPECT_THAT(WhyOf(Exits(2, Doctor(db))),
                HasSubstr("its keys may have prefixes"));
    db.Compact();
    EXPECT_NE(FamilyOf(Exits(0, Doctor(db)))["ssts"][0]["filter_bytes"], 0);
  }
}

// Keys outside of the domain of the prefix extractor are not sought.
TEST(DoctorNotUsedTest, NothingToSeek) {
  FilledDb db(WithPrefixes(Fixed(100), /*whole_keys=*/true));
  EXPECT_EQ(AllOf(Exits(0, Doctor(db)))["asked_by_seek"], Json());
  EXPECT_THAT(Doctor(db, "").out, HasSubstr("           1     -\n"));
}

// Merge entries need an operator of the program only if a value is wanted.
TEST(DoctorNotUsedTest, MergeEntries) {
  for (const bool has_policy : {false, true}) {
    rocksdb::Options options =
        WithPrefixes(Capped(4), /*whole_keys=*/true, Layout::kFull,
                     has_policy ? OurPolicy() : nullptr);
    Require(rocksdb::MergeOperator::CreateFromString(
        rocksdb::ConfigOptions(), "put", &options.merge_operator));
    TestDb db(options);
    for (uint32_t i = 0; i < 1000; ++i) {
      Require(db->Merge({}, NumberedKey(i), "value"));
    }
    db.Flush();
    options.table_factory = DbOptions(OurPolicy()).table_factory;
    db.Reopen(options);
    WriteOption(db, "merge_operator", "TheProgramsOwn");
    const Json sst = FamilyOf(Exits(has_policy ? 0 : 2, Doctor(db)))["ssts"][0];
    EXPECT_EQ(sst["why"], has_policy ? "" : "no filter");
  }
}

// A process that takes its policy from the OPTIONS file makes no filter.
TEST(DoctorNotUsedTest, PoliciesWithoutBits) {
  for (const std::string policy :
       {"bloomfilter", "ribbonfilter", "rocksdb.BuiltinBloomFilter"}) {
    SCOPED_TRACE(policy);
    FilledDb db(DbOptions(BuiltinPolicy()));
    WriteOption(db, "filter_policy", policy);
    const std::string used = Exits(0, Doctor(db, "")).out;
    EXPECT_THAT(used, HasSubstr("no fault: the OPTIONS file names '" + policy +
                                "' without bits per key"));
    EXPECT_THAT(used, HasSubstr("every SST file, but see above\n"));
    db.Reopen(DbOptions(nullptr));
    AddFile(&db, 0, 1000);
    WriteOption(db, "filter_policy", policy);
    const Json problem = ProblemOf(Exits(2, Doctor(db)));
    EXPECT_THAT(problem["why"].get<std::string>(), HasSubstr("makes none"));
    EXPECT_THAT(problem["to_do"].get<std::string>(),
                HasSubstr("such as bloomfilter:10"));
  }
}

// RocksDB's own filters need no compaction.
TEST(DoctorNotUsedTest, RocksdbsFiltersUnderOurPolicy) {
  FilledDb db(DbOptions(BuiltinPolicy()));
  db.Reopen(DbOptions(OurPolicy()));
  const Json problem = ProblemOf(Exits(2, Doctor(db)));
  EXPECT_THAT(problem["to_do"].get<std::string>(),
              HasSubstr("set filter_policy=cassandra_bloom:10:blocks:rocksdb, "
                        "which reads it as it is"));
  db.Reopen(DbOptions(OurPolicyBesideRocksdb()));
  Exits(0, Doctor(db));
}

TEST(DoctorNotUsedTest, EveryKeyPasses) {
  const FilledDb db(DbOptions(ReplacingPolicy(
      OurPolicy(),
      std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\xff'))));
  // The OPTIONS file has the name of this policy, which is ours.
  EXPECT_THAT(WhyOf(Exits(2, Doctor(db))),
              HasSubstr("every key passes its filter"));
}

TEST(DoctorNotUsedTest, ADamagedFilter) {
  for (const PolicyPtr& policy : {OurPolicy(), BuiltinPolicy()}) {
    FilledDb db(DbOptions(policy));
    const std::string sst = OnlySst(db);
    db.Close();
    std::string bytes = ReadFile(sst);
    // The filter is the block before the properties, which begin with names
    // like this one.
    const size_t properties = bytes.find("rocksdb.block.based.table");
    ASSERT_NE(properties, std::string::npos);
    bytes[properties - 700] ^= 1;
    WriteFile(sst, bytes);
    EXPECT_THAT(WhyOf(Exits(2, Doctor(db))), HasSubstr("or is damaged"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
