// SPDX-License-Identifier: Apache-2.0

// Tests the functions of the public header.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomMixPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyFromOptions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct BitsAndId {
  double bits_per_key;
  const char* id;
};

constexpr BitsAndId kBitsAndIds[] = {
    {-kInfinity, "cassandra_bloom:0"},  {-1, "cassandra_bloom:0"},
    {0, "cassandra_bloom:0"},           {0.4999, "cassandra_bloom:0"},
    {0.5, "cassandra_bloom:1"},         {0.7, "cassandra_bloom:1"},
    {1, "cassandra_bloom:1"},           {1.001, "cassandra_bloom:1.001"},
    {9.5, "cassandra_bloom:9.5"},       {9.9994, "cassandra_bloom:9.999"},
    {9.9996, "cassandra_bloom:10"},     {99.999, "cassandra_bloom:99.999"},
    {100, "cassandra_bloom:100"},       {1e300, "cassandra_bloom:100"},
    {kInfinity, "cassandra_bloom:100"}, {kNan, "cassandra_bloom:100"},
};

// RocksDB finds filters and policies by their names. If a name changed,
// existing databases would be read without filters.
TEST(NewPolicyTest, NamesAreFrozen) {
  const PolicyPtr bits(NewCassandraBloomPolicy(10));
  const PolicyPtr chance(NewCassandraBloomPolicyForFpChance(0.01));
  for (const PolicyPtr& policy : {bits, chance}) {
    EXPECT_STREQ(policy->Name(), "cassandra_bloom");
    EXPECT_STREQ(policy->CompatibilityName(), "cassandra_bloom");
    EXPECT_TRUE(policy->IsInstanceOf("cassandra_bloom"));
  }
  EXPECT_EQ(bits->GetId(), "cassandra_bloom:10");
  EXPECT_EQ(chance->GetId(), "cassandra_bloom:fp:0.01");
}

// Name is our own name. CompatibilityName is the name that all of RocksDB's own
// policies have, because RocksDB finds filters by this name.
TEST(NewPolicyTest, NamesBesideRocksdbAreFrozen) {
  const PolicyPtr policy(NewCassandraBloomPolicyBesideRocksdb(12));
  EXPECT_STREQ(policy->Name(), "cassandra_bloom");
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  EXPECT_TRUE(policy->IsInstanceOf("cassandra_bloom"));
  EXPECT_EQ(policy->GetId(), "cassandra_bloom:12:blocks:rocksdb");
  for (const char* const rocksdbs : {"bloomfilter:10", "ribbonfilter:10"}) {
    PolicyPtr other;
    ASSERT_TRUE(
        FilterPolicy::CreateFromString(ConfigOptions(), rocksdbs, &other).ok());
    EXPECT_STREQ(policy->CompatibilityName(), other->CompatibilityName());
  }
  RegisterInDefaultRegistry();
  PolicyPtr from_string;
  ASSERT_TRUE(
      FilterPolicy::CreateFromString(
          ConfigOptions(), "{id=cassandra_bloom;blocks=rocksdb}", &from_string)
          .ok());
  EXPECT_STREQ(from_string->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
}

// The name must say which part of a key is hashed, because a policy that hashes
// another part would not find the rows.
TEST(NewPolicyTest, NamesWithPartitionKeysAreFrozen) {
  const struct {
    const char* partition_key;
    const char* name;
  } cases[] = {
      {"whole", "cassandra_bloom"},
      {"skip:0", "cassandra_bloom"},
      {"fixed:16", "cassandra_bloom.partition_key.fixed:16"},
      {"skip:8", "cassandra_bloom.partition_key.skip:8"},
      {"skip:8,fixed:16", "cassandra_bloom.partition_key.skip:8,fixed:16"},
      {"u16", "cassandra_bloom.partition_key.u16"},
      {"skip:8,u16", "cassandra_bloom.partition_key.skip:8,u16"},
      {"skip:8,composite:2",
       "cassandra_bloom.partition_key.skip:8,composite:2"},
  };
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.partition_key);
    for (const double bits_per_key : {0, 10}) {
      CassandraBloomOptions options;
      options.bits_per_key = bits_per_key;
      options.partition_key = expected.partition_key;
      const PolicyPtr policy(NewCassandraBloomPolicyFromOptions(options));
      EXPECT_STREQ(policy->Name(), expected.name);
      EXPECT_STREQ(policy->CompatibilityName(), expected.name);
      EXPECT_TRUE(policy->IsInstanceOf("cassandra_bloom"));
    }
  }
  RegisterInDefaultRegistry();
  PolicyPtr policy;
  ASSERT_TRUE(FilterPolicy::CreateFromString(
                  ConfigOptions(),
                  "{id=cassandra_bloom;partition_key=skip:8,u16}", &policy)
                  .ok());
  EXPECT_STREQ(policy->CompatibilityName(),
               "cassandra_bloom.partition_key.skip:8,u16");
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
  EXPECT_EQ(IdOf(PolicyPtr(NewCassandraBloomMixPolicy(90))),
            "cassandra_bloom:mix:90");
}

TEST(NewPolicyTest, WrongOptionsAreRefusedByOpen) {
  using Set = void (*)(CassandraBloomOptions*);
  const struct {
    Set set;
    RefusedString refused;
  } cases[] = {
      {[](auto* o) { o->partition_key = "u32"; }, {"", "'u32'", "skip:S,u16"}},
      {[](auto* o) { o->partition_key = ""; }, {"", "''", "skip:S,u16"}},
      {[](auto* o) { o->fp_chance = 0; },
       {"", "fp_chance '0'", "from 0.0000671 to 1"}},
      {[](auto* o) {
         o->level_bits = {1, 101};
       },
       {"", "level_bits '101'", "from 0 to 100"}},
      {[](auto* o) { o->bottommost_bits = kNan; },
       {"", "bottommost_bits 'nan'", "from 0 to 100"}},
      {[](auto* o) { o->filter = "Bloom"; },
       {"", "filter 'Bloom'", "cassandra, bloom or ribbon"}},
      {[](auto* o) { o->blocks = ""; },
       {"", "blocks ''", "cassandra or rocksdb"}},
      {[](auto* o) {
         o->fp_chance = 0.01;
         o->level_bits = {8};
       },
       {"", "fp_chance and level_bits", "both set the size"}},
      {[](auto* o) {
         o->blocks = "rocksdb";
         o->partition_key = "fixed:8";
       },
       {"", "blocks:rocksdb:partition_key:fixed:8", "leave out partition_key"}},
      {[](auto* o) { o->mix = 0.999; }, {"", "mix '0.999'", "from 1 to 100"}},
      {[](auto* o) { o->mix = kNan; }, {"", "mix 'nan'", "from 1 to 100"}},
  };
  TestDb db;
  for (const auto& wrong : cases) {
    SCOPED_TRACE(wrong.refused.value);
    CassandraBloomOptions options;
    wrong.set(&options);
    const PolicyPtr policy(NewCassandraBloomPolicyFromOptions(options));
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(IdOf(policy), "cassandra_bloom:a-refused-setting");
    EXPECT_TRUE(IsRefusal(db.TryOpen(DbOptions(policy)), wrong.refused));
  }
  EXPECT_TRUE(IsRefusal(
      db.TryOpen(DbOptions(PolicyPtr(NewCassandraBloomMixPolicy(101)))),
      {"", "mix '101'", "from 1 to 100"}));
}

TEST(NewPolicyTest, OnlyTheTypesOfFiltersGoWithMix) {
  using Set = void (*)(CassandraBloomOptions*);
  const std::pair<const char*, Set> cases[] = {
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
    EXPECT_TRUE(IsRefusal(
        db.TryOpen(
            DbOptions(PolicyPtr(NewCassandraBloomPolicyFromOptions(options)))),
        {"", name, "mix goes with filter and bottommost_filter, not with "}));
  }
}

TEST(NewPolicyTest, BitsPerKeyAreTakenAsByTheBuiltInPolicy) {
  for (const BitsAndId& expected : kBitsAndIds) {
    SCOPED_TRACE(expected.bits_per_key);
    const PolicyPtr policy(NewCassandraBloomPolicy(expected.bits_per_key));
    EXPECT_EQ(IdOf(policy), expected.id);
    EXPECT_EQ(BuildBlock(policy) == "(no builder)",
              policy->GetId() == "cassandra_bloom:0");
  }
}

TEST(NewPolicyTest, ThousandthsAreKept) {
  RegisterInDefaultRegistry();
  for (int millibits = 1000; millibits <= 100000; millibits += 7) {
    const PolicyPtr policy(NewCassandraBloomPolicy(millibits / 1000.0));
    const std::string id = policy->GetId();
    const std::string digits = id.substr(id.find(':') + 1);
    EXPECT_EQ(std::lround(std::stod(digits) * 1000), millibits) << id;
    EXPECT_LE(digits.size(), 7u) << id;
    PolicyPtr again;
    ASSERT_TRUE(
        FilterPolicy::CreateFromString(ConfigOptions(), id, &again).ok());
    EXPECT_EQ(again->GetId(), id);
  }
}

TEST(NewPolicyTest, FpChances) {
  const struct {
    double fp_chance;
    const char* id;
  } cases[] = {
      {1, "cassandra_bloom:fp:1"},
      {0.1, "cassandra_bloom:fp:0.1"},
      {0.01, "cassandra_bloom:fp:0.01"},
      {1.0 / 3, "cassandra_bloom:fp:0.3333333333333333"},
      {6.71e-5, "cassandra_bloom:fp:6.71e-05"},
  };
  TestDb db;
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.fp_chance);
    const PolicyPtr policy(
        NewCassandraBloomPolicyForFpChance(expected.fp_chance));
    EXPECT_EQ(IdOf(policy), expected.id);
    EXPECT_EQ(BuildBlock(policy) == "(no builder)", expected.fp_chance >= 1);
    EXPECT_TRUE(db.TryOpen(DbOptions(policy)).ok());
  }
}

TEST(NewPolicyTest, WrongFpChancesAreRefusedByOpen) {
  const struct {
    double fp_chance;
    RefusedString refused;
  } cases[] = {
      {0, {"", "'0'", "from 0.0000671 to 1"}},
      {-0.01, {"", "'-0.01'", "from 0.0000671 to 1"}},
      {6.7e-5, {"", "'6.7e-05'", "from 0.0000671 to 1"}},
      {1.0000001, {"", "'1.0000001'", "from 0.0000671 to 1"}},
      {kInfinity, {"", "'inf'", "from 0.0000671 to 1"}},
      {kNan, {"", "'nan'", "from 0.0000671 to 1"}},
  };
  TestDb db;
  for (const auto& wrong : cases) {
    SCOPED_TRACE(wrong.fp_chance);
    const PolicyPtr policy(NewCassandraBloomPolicyForFpChance(wrong.fp_chance));
    ASSERT_NE(policy, nullptr);
    EXPECT_TRUE(IsRefusal(db.TryOpen(DbOptions(policy)), wrong.refused));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
