// SPDX-License-Identifier: Apache-2.0

// Tests the functions of the public header.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyFromOptions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// RocksDB finds filters and policies by their names. If a name changed,
// existing databases would be read without filters. Name is always our own.
// Beside RocksDB's filters, CompatibilityName is that of RocksDB's policies.
// With a partition key, it says which part of a key is hashed, because a policy
// that hashes another part would not find the rows.
TEST(NewPolicyTest, NamesAreFrozen) {
  const std::string ours = "cassandra_bloom";
  const std::string rocksdbs = "rocksdb.BuiltinBloomFilter";
  const struct {
    const char* text;
    std::string name;
    std::string compatibility_name;
  } cases[] = {
      {"cassandra_bloom:10", ours, ours},
      {"cassandra_bloom:fp:0.01", ours, ours},
      {"cassandra_bloom:12:blocks:rocksdb", ours, rocksdbs},
      {"cassandra_bloom:mix:10", ours, rocksdbs},
      {"{id=cassandra_bloom;blocks=rocksdb}", ours, rocksdbs},
      {"bloomfilter:10", "bloomfilter", rocksdbs},
      {"ribbonfilter:10", "ribbonfilter", rocksdbs},
      {"cassandra_bloom:partition_key:whole", ours, ours},
      {"cassandra_bloom:0:partition_key:skip:0", ours, ours},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.text);
    const PolicyPtr policy = PolicyFrom(expected.text);
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(policy->Name(), expected.name);
    EXPECT_EQ(policy->CompatibilityName(), expected.compatibility_name);
    EXPECT_EQ(policy->IsInstanceOf(ours), expected.name == ours);
  }
  for (const std::string spelling :
       {"fixed:16", "skip:8", "skip:8,fixed:16", "u16", "skip:8,u16",
        "skip:8,composite:2"}) {
    SCOPED_TRACE(spelling);
    for (const std::string before : {"cassandra_bloom", "cassandra_bloom:0"}) {
      const PolicyPtr policy =
          PolicyFrom(before + ":partition_key:" + spelling);
      ASSERT_NE(policy, nullptr);
      const std::string name = "cassandra_bloom.partition_key." + spelling;
      EXPECT_EQ(policy->Name(), name);
      EXPECT_EQ(policy->CompatibilityName(), name);
      EXPECT_TRUE(policy->IsInstanceOf(ours));
    }
  }
}

TEST(NewPolicyTest, IdsOfOptions) {
  const auto id = [](const CassandraBloomOptions& options) {
    return IdOf(PolicyPtr(NewCassandraBloomPolicyFromOptions(options)));
  };
  EXPECT_EQ(id({}), "cassandra_bloom:10");
  CassandraBloomOptions by_level;
  by_level.level_bits = {14, 12.5, 0.2};
  by_level.bottommost_bits = 8;
  by_level.partition_key = "skip:0,u16";
  EXPECT_EQ(id(by_level),
            "cassandra_bloom:level_bits:14,12.5,0:bottommost_bits:8:"
            "partition_key:u16");
  by_level.fp_chance = 0.01;
  EXPECT_EQ(id(by_level), "cassandra_bloom:a-refused-setting");
  by_level.level_bits.clear();
  EXPECT_EQ(id(by_level),
            "cassandra_bloom:fp:0.01:bottommost_bits:8:partition_key:u16");
  CassandraBloomOptions mix;
  mix.mix = 12.0004;
  mix.bits_per_key = 5;
  EXPECT_EQ(id(mix), "cassandra_bloom:mix:12");
  mix.filter = "cassandra";
  mix.bottommost_filter = "bloom";
  EXPECT_EQ(id(mix),
            "cassandra_bloom:mix:12:filter:cassandra:bottommost_filter:bloom");
  EXPECT_EQ(IdOf(PolicyPtr(rocksdb::NewCassandraBloomMixPolicy(90))),
            "cassandra_bloom:mix:90");
}

// The values that create_from_string_test.cc refuses are refused here, too. So
// this table has what no string can say, and what is checked apart.
TEST(NewPolicyTest, WrongOptionsAreRefusedByOpen) {
  constexpr char kChanceRange[] = "is not a number from 0.0000671 to 1";
  const struct {
    void (*set)(CassandraBloomOptions*);
    const char* value;
    const char* range;
  } cases[] = {
      {[](auto* o) { o->partition_key = ""; }, "''", "skip:S,u16"},
      {[](auto* o) { o->bottommost_bits = kNan; }, "'nan'", "from 0 to 100"},
      {[](auto* o) { o->filter = "a|b"; }, "filter 'a|b'", "bloom or ribbon"},
      {[](auto* o) { o->blocks = ""; }, "blocks ''", "cassandra or rocksdb"},
      {[](auto* o) { o->fp_chance = 0; }, "fp_chance '0'", kChanceRange},
      {[](auto* o) { o->fp_chance = -0.01; }, "'-0.01'", kChanceRange},
      {[](auto* o) { o->fp_chance = 1.0000001; }, "'1.0000001'", kChanceRange},
      {[](auto* o) { o->fp_chance = kInfinity; }, "'inf'", kChanceRange},
      {[](auto* o) { o->fp_chance = kNan; }, "'nan'", kChanceRange},
      {[](auto* o) { o->mix = kNan; }, "mix 'nan'", "from 1 to 100"},
      {[](auto* o) {
         o->fp_chance = 0.01;
         o->level_bits = {8};
       },
       "fp_chance and level_bits", "both set the size"},
      {[](auto* o) { o->filter = "bloom"; }, "filter:bloom", "blocks=rocksdb"},
  };
  TestDb db;
  for (const auto& wrong : cases) {
    SCOPED_TRACE(std::string(wrong.value) + " " + wrong.range);
    CassandraBloomOptions options;
    wrong.set(&options);
    const PolicyPtr policy(NewCassandraBloomPolicyFromOptions(options));
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(IdOf(policy), "cassandra_bloom:a-refused-setting");
    EXPECT_TRUE(IsRefusal(db.TryOpen(DbOptions(policy)),
                          {"", wrong.value, wrong.range}));
  }
}

TEST(NewPolicyTest, OnlyTheTypesOfFiltersGoWithMix) {
  const std::pair<const char*, void (*)(CassandraBloomOptions*)> cases[] = {
      {"fp_chance", [](auto* o) { o->fp_chance = 0.01; }},
      {"level_bits", [](auto* o) { o->level_bits = {10}; }},
      {"bottommost_bits", [](auto* o) { o->bottommost_bits = 10; }},
      {"blocks", [](auto* o) { o->blocks = "rocksdb"; }},
      {"partition_key", [](auto* o) { o->partition_key = "u16"; }},
  };
  TestDb db;
  for (const auto& [name, set] : cases) {
    CassandraBloomOptions options;
    options.mix = 10;
    set(&options);
    const PolicyPtr policy(NewCassandraBloomPolicyFromOptions(options));
    EXPECT_TRUE(IsRefusal(
        db.TryOpen(DbOptions(policy)),
        {"", name, "mix goes with filter and bottommost_filter, not with "}));
  }
}

TEST(NewPolicyTest, BitsPerKeyAreTakenAsByTheBuiltInPolicy) {
  const std::pair<double, const char*> cases[] = {
      {-kInfinity, "cassandra_bloom:0"},  {-1, "cassandra_bloom:0"},
      {0, "cassandra_bloom:0"},           {0.4999, "cassandra_bloom:0"},
      {0.5, "cassandra_bloom:1"},         {0.7, "cassandra_bloom:1"},
      {1, "cassandra_bloom:1"},           {1.001, "cassandra_bloom:1.001"},
      {9.5, "cassandra_bloom:9.5"},       {9.9994, "cassandra_bloom:9.999"},
      {9.9996, "cassandra_bloom:10"},     {99.999, "cassandra_bloom:99.999"},
      {100, "cassandra_bloom:100"},       {1e300, "cassandra_bloom:100"},
      {kInfinity, "cassandra_bloom:100"}, {kNan, "cassandra_bloom:100"},
  };
  for (const auto& [bits_per_key, id] : cases) {
    SCOPED_TRACE(bits_per_key);
    const PolicyPtr policy(NewCassandraBloomPolicy(bits_per_key));
    EXPECT_EQ(IdOf(policy), id);
    EXPECT_EQ(BuildBlock(policy) == "(no builder)",
              policy->GetId() == "cassandra_bloom:0");
  }
}

TEST(NewPolicyTest, ThousandthsAreKept) {
  for (int millibits = 1000; millibits <= 100000; millibits += 7) {
    const PolicyPtr policy(NewCassandraBloomPolicy(millibits / 1000.0));
    const std::string id = policy->GetId();
    const std::string digits = id.substr(id.find(':') + 1);
    EXPECT_EQ(std::lround(std::stod(digits) * 1000), millibits) << id;
    EXPECT_LE(digits.size(), 7u) << id;
    EXPECT_EQ(IdOf(PolicyFrom(id)), id);
  }
}

TEST(NewPolicyTest, FpChances) {
  const std::pair<double, const char*> cases[] = {
      {1, "cassandra_bloom:fp:1"},
      {0.1, "cassandra_bloom:fp:0.1"},
      {0.01, "cassandra_bloom:fp:0.01"},
      {1.0 / 3, "cassandra_bloom:fp:0.3333333333333333"},
      {6.71e-5, "cassandra_bloom:fp:6.71e-05"},
  };
  for (const auto& [fp_chance, id] : cases) {
    SCOPED_TRACE(fp_chance);
    const PolicyPtr policy(
        rocksdb::NewCassandraBloomPolicyForFpChance(fp_chance));
    EXPECT_EQ(IdOf(policy), id);
    EXPECT_EQ(BuildBlock(policy) == "(no builder)", fp_chance >= 1);
    EXPECT_TRUE(TestDb().TryOpen(DbOptions(policy)).ok());
  }
}

// Numbers must be written with a decimal point in every locale. printf and
// strtod use the C locale. The test builds the locale from the sources in
// Debian's package `locales`.
TEST(NewPolicyTest, CommaInTheCLocale) {
  const TempDir dir;
  const ProcessResult made = RunProcess({"/usr/bin/localedef", "-i", "de_DE",
                                         "-f", "UTF-8", dir / "de_DE.UTF-8"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string before = std::setlocale(LC_ALL, nullptr);
  ASSERT_EQ(setenv("LOCPATH", dir.path().c_str(), /*overwrite=*/1), 0);
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  EXPECT_EQ(IdOf(PolicyPtr(NewCassandraBloomPolicy(9.5))),
            "cassandra_bloom:9.5");
  EXPECT_EQ(IdOf(PolicyFrom("cassandra_bloom:fp:0.01")),
            "cassandra_bloom:fp:0.01");
  PolicyPtr policy;
  EXPECT_TRUE(
      IsRefusal(rocksdb::FilterPolicy::CreateFromString(
                    rocksdb::ConfigOptions(), "cassandra_bloom:9,5", &policy),
                {"", "'9,5'", "0 to 100"}));
  std::setlocale(LC_ALL, before.c_str());
  unsetenv("LOCPATH");
}

}  // namespace
}  // namespace cassandra_bloom::testing
