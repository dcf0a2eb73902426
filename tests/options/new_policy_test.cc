// The functions of the public header, and the names that are frozen.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/options/policy_probe.h"
#include "tests/options/temp_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance;
using ROCKSDB_NAMESPACE::Options;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BitsAndId {
  double bits_per_key;
  const char* id;
};

constexpr BitsAndId kBitsAndIds[] = {
    {-kInfinity, "cassandra_bloom:0"},
    {-1, "cassandra_bloom:0"},
    {0, "cassandra_bloom:0"},
    {0.4999, "cassandra_bloom:0"},
    {0.5, "cassandra_bloom:1"},
    {0.7, "cassandra_bloom:1"},
    {1, "cassandra_bloom:1"},
    {1.001, "cassandra_bloom:1.001"},
    {9.5, "cassandra_bloom:9.5"},
    {9.9994, "cassandra_bloom:9.999"},
    {9.9996, "cassandra_bloom:10"},
    {99.999, "cassandra_bloom:99.999"},
    {100, "cassandra_bloom:100"},
    {1e300, "cassandra_bloom:100"},
    {kInfinity, "cassandra_bloom:100"},
    {std::numeric_limits<double>::quiet_NaN(), "cassandra_bloom:100"},
};

// A file's filter is found by CompatibilityName, an OPTIONS file's policy by
// Name and id: another name is an unfiltered database.
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
  TempDb db;
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.fp_chance);
    const PolicyPtr policy(
        NewCassandraBloomPolicyForFpChance(expected.fp_chance));
    EXPECT_EQ(IdOf(policy), expected.id);
    EXPECT_EQ(BuildBlock(policy) == "(no builder)", expected.fp_chance >= 1);
    Options options = db.options();
    SetFilterPolicy(policy, &options);
    EXPECT_TRUE(db.Open(options).ok());
    db.Close();
  }
}

TEST(NewPolicyTest, WrongFpChancesAreRefusedByOpen) {
  const struct {
    double fp_chance;
    RefusedString refused;
  } cases[] = {
      {0, {"", "'0'", "0.0000671 to 1"}},
      {-0.01, {"", "'-0.01'", "0.0000671 to 1"}},
      {6.7e-5, {"", "'6.7e-05'", "0.0000671 to 1"}},
      {1.0000001, {"", "'1.0000001'", "0.0000671 to 1"}},
      {kInfinity, {"", "'inf'", "0.0000671 to 1"}},
      {std::numeric_limits<double>::quiet_NaN(),
       {"", "'nan'", "0.0000671 to 1"}},
  };
  TempDb db;
  for (const auto& wrong : cases) {
    SCOPED_TRACE(wrong.fp_chance);
    const PolicyPtr policy(NewCassandraBloomPolicyForFpChance(wrong.fp_chance));
    ASSERT_NE(policy, nullptr);
    Options options = db.options();
    SetFilterPolicy(policy, &options);
    EXPECT_TRUE(IsRefusal(db.Open(options), wrong.refused));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
