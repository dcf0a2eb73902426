// SPDX-License-Identifier: Apache-2.0

// Tests what `sst_filters doctor` says of several kinds of filters, and its
// advice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <functional>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/block_form.h"
#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/naive_filter.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/level_files.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PolicyPtr PolicyFromString(const std::string& text) {
  rocksdb::ConfigOptions config;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  PolicyPtr policy;
  Require(rocksdb::FilterPolicy::CreateFromString(config, text, &policy));
  return policy;
}

PolicyPtr Monkey() {
  rocksdb::CassandraBloomOptions options;
  options.allocation = "monkey";
  return PolicyOf(options);
}

// Puts 20,000 keys into the last level, and 2000 keys into the level above.
// Then puts two files into level 0, each with 200 keys. The key range of the
// last level contains the other ranges.
void FillLevels(TestDb* db) {
  AddFile(db, 0, 20000);
  CompactLevel0To(6, *db);
  AddFile(db, 0, 2000);
  CompactLevel0To(5, *db);
  AddFile(db, 0, 200);
  AddFile(db, 0, 200);
}

class LevelsDb : public TestDb {
 public:
  explicit LevelsDb(const rocksdb::Options& options) : TestDb(options) {
    FillLevels(this);
  }
  explicit LevelsDb(const PolicyPtr& policy)
      : LevelsDb(WithDynamicLevels(policy)) {}
};

Json FamilyOf(const TestDb& db) {
  return Exits(0, Doctor(db)).json()["column_families"][0];
}

struct Mixed {
  const char* policy;
  const char* above;   // The kind of the filters above the last level.
  const char* bottom;  // The kind of the filter in the last level.
  std::vector<double>
      bits;  // Bits per key of level 0, the next to last level, and the last.
  const char* all_is_well;
};

const Mixed kMixed[] = {
    {"cassandra_bloom:mix:10",
     "rocksdbs_bloom",
     "rocksdbs_ribbon",
     {25.8, 14.3, 6.7},  // RocksDB rounds small filters up.
     "RocksDB's own filter, used"},
    {"cassandra_bloom:mix:10:filter:cassandra",
     "rocksdb",
     "rocksdbs_ribbon",
     {23.8, 14.3, 6.7},
     "our filter, or RocksDB's own, used (1 SST file)"},
    {"cassandra_bloom:10:filter:bloom:blocks:rocksdb",
     "rocksdbs_bloom",
     "rocksdbs_bloom",
     {10, 10, 10},
     "RocksDB's own filter, used"},
    {"cassandra_bloom:10:bottommost_filter:bloom:blocks:rocksdb",
     "rocksdb",
     "rocksdbs_bloom",
     {10, 10, 10},
     "our filter, or RocksDB's own, used (1 SST file)"},
    {"cassandra_bloom:10:bottommost_filter:ribbon:blocks:rocksdb",
     "rocksdb",
     "rocksdbs_ribbon",
     {10, 10, 7.05},
     "our filter, or RocksDB's own, used (1 SST file)"},
    {"cassandra_bloom:10:filter:ribbon:blocks:rocksdb",
     "rocksdbs_bloom",
     "rocksdbs_ribbon",
     {10, 7.3, 7.05},
     "RocksDB's own filter, used"}};

// Looks up absent keys. Returns what sst_filters doctor says about RocksDB's
// statistics.
Json Observe(TestDb* db) {
  db->ResetStatistics();
  std::string value;
  for (const std::string& key : NumberedDataset(200, 20000).absent) {
    EXPECT_TRUE((*db)->Get({}, key, &value).IsNotFound());
  }
  const TempDir dir;
  WriteFile(dir / "statistics", db->options().statistics->ToString());
  return Doctor(*db, "--json --statistics=" + dir / "statistics")
      .json()["observed"];
}

TEST(DoctorMixedTest, AreRight) {
  for (const Mixed& mixed : kMixed) {
    SCOPED_TRACE(mixed.policy);
    LevelsDb db(PolicyFromString(mixed.policy));
    const Json family = FamilyOf(db);
    EXPECT_EQ(family["filter_policy"], mixed.policy);
    EXPECT_EQ(family["blocks"], "rocksdb");
    for (const Json& sst : family["ssts"]) {
      const bool is_last = sst["level"] == 6;
      const std::string kind = sst["kind"];
      // With filter=ribbon, RocksDB still builds Bloom filters in flushed
      // files, and for few keys.
      const std::string above =
          std::string(mixed.policy).find(":filter:ribbon") !=
                      std::string::npos &&
                  sst["level"] == 5
              ? "rocksdbs_ribbon"
              : mixed.above;
      EXPECT_EQ(kind, is_last ? mixed.bottom : above) << sst["level"];
      const bool is_ours = kind == "rocksdb";
      EXPECT_EQ(sst["use"], "asked");
      EXPECT_EQ(sst["state"], is_ours ? "good" : "rocksdbs");
      EXPECT_EQ(sst["ours"], is_ours);
      EXPECT_EQ(sst["rate_is_measured"], !is_ours);
    }
    ASSERT_EQ(family["levels"].size(), 3);
    for (size_t i = 0; i < 3; ++i) {
      const Json& level = family["levels"][i];
      const double bits = level["bits_per_key"];
      EXPECT_NEAR(bits, mixed.bits[i], 0.08 * mixed.bits[i]) << level;
    }
    const Json observed = Observe(&db);
    const double rate = observed["rate"];
    const double expected = observed["expected_rate"];
    EXPECT_NEAR(rate, expected, 0.2 * expected);
    EXPECT_EQ(observed["finding"], nullptr);
    EXPECT_THAT(Exits(0, Doctor(db, "")).out,
                HasSubstr("all is well: every SST file has " +
                          std::string(mixed.all_is_well) + "\n"));
  }
}

TEST(DoctorMixedTest, AreRightWithPartitions) {
  rocksdb::Options options = WithDynamicLevels(nullptr);
  options.table_factory = DbOptions(Mix(), Layout::kPartitioned).table_factory;
  LevelsDb db(options);
  const Json family = FamilyOf(db);
  ExpectFiles(family["verdict"], {{"rocksdbs", 4}});
  EXPECT_THAT(Exits(0, Doctor(db, "")).out, HasSubstr("all is well"));
  const Json observed = Observe(&db);
  const double rate = observed["rate"];
  const double expected = observed["expected_rate"];
  EXPECT_NEAR(rate, expected, 0.2 * expected);
}

// A process without the library reads filters of cassandra_bloom as filters
// that every key matches.
TEST(DoctorMixedTest, WithoutTheLibrary) {
  LevelsDb db(PolicyFromString("cassandra_bloom:mix:10:filter:cassandra"));
  db.Reopen(WithDynamicLevels(BuiltinPolicy()));
  const Json family = Exits(1, Doctor(db)).json()["column_families"][0];
  EXPECT_EQ(family["advised_policy"], "cassandra_bloom:10:blocks:rocksdb");
  EXPECT_EQ(family["verdict"]["mix_policy"], nullptr);
  EXPECT_NEAR(FalsePositives(family["verdict"]), 3.012, 0.004);
  EXPECT_EQ(family["verdict"]["findings"][0]["files"].size(), 3);
}

// Filters of `mix` are RocksDB's own.
TEST(DoctorMixedTest, MixWithoutTheLibrary) {
  LevelsDb db(Mix());
  const double with_library = FalsePositives(FamilyOf(db)["verdict"]);
  db.Reopen(WithDynamicLevels(BuiltinPolicy()));
  const Json family = Exits(1, Doctor(db)).json()["column_families"][0];
  EXPECT_EQ(FalsePositives(family["verdict"]), with_library);
  EXPECT_EQ(family["verdict"]["findings"][0]["files"], Json::array());
}

// sst_filters doctor names a `mix` policy, and forecasts the filters that a
// database would have with this policy. Expects the same of a database that was
// filled with this policy.
void ExpectThatMixThenGivesTheForecast(
    const std::function<rocksdb::Options(const PolicyPtr&)>& options_with,
    const std::string& line, double bits_tolerance, double rate_tolerance) {
  const LevelsDb before(options_with(OurPolicy()));
  const Json forecast = FamilyOf(before);
  const std::string policy = forecast["verdict"]["mix_policy"];
  EXPECT_EQ(policy, "cassandra_bloom:mix:10");
  EXPECT_THAT(Exits(0, Doctor(before, "")).out,
              HasSubstr("  with " + policy + line));
  const LevelsDb after(options_with(PolicyFromString(policy)));
  const Json then = FamilyOf(after);
  ASSERT_EQ(then["levels"].size(), 3);
  for (size_t i = 0; i < 3; ++i) {
    const Json& mix = forecast["levels"][i]["expected"]["mix"];
    const Json& as_it_is = then["levels"][i]["expected"]["as_it_is"];
    const double bits = mix["bits_per_key"];
    const double bits_then = as_it_is["bits_per_key"];
    EXPECT_NEAR(bits, bits_then, bits_tolerance * bits_then);
    const double rate = mix["false_positives"];
    const double rate_then = as_it_is["false_positives"];
    EXPECT_NEAR(rate, rate_then, rate_tolerance * rate_then);
  }
  EXPECT_EQ(then["verdict"]["mix_policy"], nullptr);
  EXPECT_EQ(then["verdict"]["expected_with_our_policy"]["mix"], nullptr);
  EXPECT_EQ(then["verdict"]["findings"], Json::array());
}

TEST(ForecastOfMixTest, IsWhatMixThenGives) {
  ExpectThatMixThenGivesTheForecast(
      [](const PolicyPtr& policy) { return WithDynamicLevels(policy); },
      // RocksDB rounds small filters up.
      ": 0.0136, in about 213", 0.08, 0.2);
}

// If partitioned filters hold only prefixes, cassandra_bloom:mix writes its own
// kind of filter in all levels.
TEST(ForecastOfMixTest, OfPartitionsOfPrefixesAlone) {
  ExpectThatMixThenGivesTheForecast(
      [](const PolicyPtr& policy) {
        rocksdb::Options options = WithDynamicLevels(policy);
        auto& table = *options.table_factory
                           ->GetOptions<rocksdb::BlockBasedTableOptions>();
        table.partition_filters = true;
        table.index_type =
            rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
        table.whole_key_filtering = false;
        // Each key is its own prefix.
        options.prefix_extractor.reset(rocksdb::NewNoopTransform());
        return options;
      },
      ": 0.0117, in about 28", 0.02, 0.2);
}

// The `mix` policy that sst_filters doctor names must not have more false
// positives than the database has now. So the policy may need slightly more
// than 10 bits per key.
TEST(ForecastOfMixTest, HasNoMoreFalsePositives) {
  TestDb db(WithDynamicLevels(OurPolicy()));
  AddFile(&db, 0, 20000);
  CompactLevel0To(6, db);
  const Json verdict = FamilyOf(db)["verdict"];
  const Json expected = verdict["expected_with_our_policy"];
  const double now = expected["as_it_is"]["false_positives"];
  const double then = expected["mix"]["false_positives"];
  EXPECT_LE(then, now);
  EXPECT_GT(then, 0.95 * now);
  EXPECT_THAT(verdict["mix_policy"], HasSubstr("cassandra_bloom:mix:10."));
  EXPECT_EQ(verdict["findings"], Json::array());
}

void ExpectNoForecast(const TestDb& db) {
  const Ran ran = Doctor(db);
  EXPECT_EQ(VerdictOf(ran)["mix_policy"], nullptr);
  EXPECT_EQ(VerdictOf(ran)["expected_with_our_policy"]["mix"], nullptr);
  EXPECT_THAT(Doctor(db, "").out, Not(HasSubstr("mix")));
}

TEST(ForecastOfMixTest, OnlyWhereMixGoesByLevel) {
  rocksdb::Options options =
      WithDynamicLevels(PolicyOf(Types("cassandra", "bloom")));
  options.level_compaction_dynamic_level_bytes = false;
  const LevelsDb by_number(options);
  ExpectNoForecast(by_number);
  EXPECT_EQ(VerdictOf(Doctor(by_number))["findings"][0]["to_do"],
            "allocation=monkey in the options of the policy (with "
            "level_compaction_dynamic_level_bytes=true), then compact");

  // With several paths, RocksDB switches dynamic levels off.
  const TempDir dir;
  rocksdb::Options paths = WithDynamicLevels(OurPolicy());
  paths.db_paths = {{dir / "a", 1 << 30}, {dir / "b", 1 << 30}};
  TestDb several(paths);
  AddFile(&several, 0, 1000);
  const std::string where =
      "--db-path=" + dir / "a" + " --db-path=" + dir / "b" + " --json";
  EXPECT_EQ(VerdictOf(Exits(0, Doctor(several, where)))["mix_policy"], nullptr);

  rocksdb::Options universal = WithDynamicLevels(OurPolicy());
  universal.compaction_style = rocksdb::kCompactionStyleUniversal;
  ExpectNoForecast(LevelsDb(universal));

  rocksdb::Options for_hits = WithDynamicLevels(OurPolicy());
  for_hits.optimize_filters_for_hits = true;
  ExpectNoForecast(LevelsDb(for_hits));
}

TEST(ForecastOfMixTest, NeverWherePartitionKeysAreWanted) {
  ExpectNoForecast(LevelsDb(PolicyFor("fixed:8")));
}

TEST(MixAdviceTest, SavesFalsePositives) {
  const LevelsDb db(OurPolicy());
  const Json findings = FamilyOf(db)["verdict"]["findings"];
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0]["fault"], false);
  EXPECT_THAT(findings[0]["what"],
              HasSubstr("0.0136 false positives, not 0.0289"));
  EXPECT_THAT(findings[0]["to_do"],
              HasSubstr("filter_policy=cassandra_bloom:mix:10, then compact"));
  EXPECT_THAT(findings[0]["to_do"],
              HasSubstr("the filters of blocks=cassandra are not used"));
  EXPECT_THAT(Exits(0, Doctor(db, "")).out, HasSubstr("all is well"));

  const LevelsDb beside(BesideRocksdb());
  const Json with_theirs = FamilyOf(beside)["verdict"]["findings"];
  ASSERT_EQ(with_theirs.size(), 1);
  EXPECT_THAT(with_theirs[0]["to_do"], HasSubstr("cassandra_bloom:mix:10"));
  EXPECT_THAT(with_theirs[0]["to_do"], Not(HasSubstr("blocks=cassandra")));
}

// sst_filters doctor must also name the `mix` policy if the database has only
// used RocksDB's own policy.
TEST(MixAdviceTest, WithRocksdbsOwnPolicy) {
  const LevelsDb db(
      PolicyPtr(rocksdb::NewBloomFilterPolicy(10, /*ignored=*/false)));
  const Ran ran = Exits(1, Doctor(db, ""));
  EXPECT_THAT(ran.out, HasSubstr("  with cassandra_bloom:mix:10: 0.0136, in"));
  EXPECT_THAT(ran.out,
              HasSubstr("or, if only RocksDB reads the filters, with "
                        "filter_policy=cassandra_bloom:mix:10: when all files "
                        "are compacted, the filters will take about"));
}

// With 3 probes and 80 bits per key, almost no absent key passes a filter. So
// `mix` can save only memory, but no false positives.
TEST(MixAdviceTest, SavesMemory) {
  for (const uint32_t keys : {200000U, 400000U}) {
    NaiveFilter large(3, (80 * keys + 63) / 64);
    const Rows rows = NumberedRows(0, keys);
    for (const auto& row : rows) {
      large.Add(row.first);
    }
    TestDb db(WithDynamicLevels(
        std::make_shared<ImportingPolicy>(large.Serialize())));
    db.Put(rows);
    db.Flush();
    CompactLevel0To(6, db);
    db.Reopen(WithDynamicLevels(OurPolicy()));
    const Json findings = FamilyOf(db)["verdict"]["findings"];
    if (keys == 200000) {
      EXPECT_EQ(findings, Json::array());  // Would save less than 1 MiB.
    } else {
      ASSERT_EQ(findings.size(), 1);
      EXPECT_THAT(findings[0]["what"], HasSubstr(", not 4000000 bytes"));
      EXPECT_THAT(findings[0]["to_do"], HasSubstr("cassandra_bloom:mix:80,"));
    }
  }
}

TEST(MixAdviceTest, NotWhereItGainsLittle) {
  for (const PolicyPtr& policy : {Mix(), Monkey()}) {
    EXPECT_EQ(FamilyOf(LevelsDb(policy))["verdict"]["findings"], Json::array());
  }
  TestDb young(WithDynamicLevels(OurPolicy()));
  AddFile(&young, 0, 2000);
  AddFile(&young, 0, 2000);
  const Json verdict = FamilyOf(young)["verdict"];
  EXPECT_EQ(verdict["findings"], Json::array());
  const Json expected = verdict["expected_with_our_policy"];
  EXPECT_GT(expected["mix"]["bits_per_key"], 23);
}

TEST(AverageAdviceTest, AYoungDatabase) {
  for (const PolicyPtr& policy : {Monkey(), Mix()}) {
    TestDb db(WithDynamicLevels(policy));
    AddFile(&db, 0, 10000);
    EXPECT_EQ(FamilyOf(db)["verdict"]["findings"], Json::array());
    // The filters have 13.8 bits per key more than the average of the policy.
    // sst_filters doctor reports this excess only above 1 MiB. The second of
    // these files brings the excess above 1 MiB.
    AddFile(&db, 0, 320000);
    EXPECT_EQ(FamilyOf(db)["verdict"]["findings"], Json::array());
    AddFile(&db, 320000, 640000);
    const Json findings = FamilyOf(db)["verdict"]["findings"];
    ASSERT_EQ(findings.size(), 1);
    EXPECT_EQ(findings[0]["fault"], false);
    EXPECT_THAT(findings[0]["what"],
                HasSubstr("the filters take 23.8 bits per key, 11"));
    EXPECT_THAT(findings[0]["what"],
                HasSubstr("the policy's average of 10: that is the average of "
                          "full levels"));
    EXPECT_THAT(findings[0]["what"], HasSubstr("level 0 has 100 % of the "
                                               "keys"));
    EXPECT_THAT(findings[0]["to_do"], HasSubstr("nothing, as compactions"));
    CompactLevel0To(6, db);
    EXPECT_EQ(FamilyOf(db)["verdict"]["findings"], Json::array());
  }
}

TEST(AverageAdviceTest, FiltersOfAnotherTime) {
  TestDb db(WithDynamicLevels(OurPolicy(100)));
  AddFile(&db, 0, 120000);
  CompactLevel0To(6, db);
  db.Reopen(WithDynamicLevels(Monkey()));
  const Json findings = FamilyOf(db)["verdict"]["findings"];
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0]["fault"], false);
  EXPECT_THAT(findings[0]["what"],
              HasSubstr("files have more bits than the policy gives"));
  EXPECT_THAT(findings[0]["to_do"], HasSubstr("kForce"));
  db.Compact();
  EXPECT_EQ(FamilyOf(db)["verdict"]["findings"], Json::array());
}

}  // namespace
}  // namespace cassandra_bloom::testing
