// SPDX-License-Identifier: Apache-2.0

// Strings that name no policy, or misspell a policy, must never silently change
// or remove an existing cassandra_bloom policy.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/option_routes.h"
#include "tests/policy/policy_probe.h"
#include "tests/policy/temp_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

class LivePolicyTest : public ::testing::Test {
 protected:
  using OptionMap = std::unordered_map<std::string, std::string>;

  void SetUp() override { RegisterInDefaultRegistry(); }

  static PolicyPtr Create(const std::string& text) {
    PolicyPtr policy;
    FilterPolicy::CreateFromString(ConfigOptions(), text, &policy)
        .PermitUncheckedError();
    return policy;
  }

  static std::vector<PolicyPtr> LivePolicies() {
    return {Create("cassandra_bloom"),
            Create("cassandra_bloom:10"),
            Create("{id=cassandra_bloom;fp_chance=0.01}"),
            Create("cassandra_bloom:10:blocks:rocksdb"),
            PolicyPtr(NewCassandraBloomPolicy(10)),
            PolicyPtr(NewCassandraBloomPolicyBesideRocksdb(10)),
            PolicyPtr(NewCassandraBloomPolicyForFpChance(0.01))};
  }

  // RocksDB's pointers to policies are const, so that nobody changes a policy.
  // Removes the const, because the tests try to change policies.
  static FilterPolicy* Mutable(const PolicyPtr& policy) {
    return const_cast<FilterPolicy*>(policy.get());
  }

  static Status SetTableOption(const PolicyPtr& policy,
                               const std::string& option, Options* options) {
    ColumnFamilyOptions base;
    SetFilterPolicy(policy, &base);
    ColumnFamilyOptions family = base;
    const Status status = GetColumnFamilyOptionsFromString(
        ConfigOptions(), base, "block_based_table_factory={" + option + "}",
        &family);
    *options = Options(ROCKSDB_NAMESPACE::DBOptions(*options), family);
    return status;
  }
};

TEST_F(LivePolicyTest, CannotBeConfigured) {
  const OptionMap maps[] = {
      {{"bits_per_key", "12"}},  {{"fp_chance", "0.1"}},
      {{"fp_chance", "junk"}},   {{"blocks", "rocksdb"}},
      {{"blocks", "cassandra"}}, {{"id", "cassandra_bloom:12"}},
      {{"foo", "bar"}}};
  for (const PolicyPtr& policy : LivePolicies()) {
    ASSERT_NE(policy, nullptr);
    SCOPED_TRACE(policy->GetId());
    const std::string id = policy->GetId();
    const std::string block = BuildBlock(policy);
    for (const ConfigOptions& config : AllConfigOptions()) {
      SCOPED_TRACE(ToString(config));
      for (const OptionMap& map : maps) {
        const auto& [name, value] = *map.begin();
        SCOPED_TRACE(name + "=" + value);
        const Status statuses[] = {
            Mutable(policy)->ConfigureFromMap(config, map),
            Mutable(policy)->ConfigureFromString(config, name + "=" + value),
            Mutable(policy)->ConfigureFromString(config, value),
            Mutable(policy)->ConfigureOption(config, name, value)};
        for (const Status& status : statuses) {
          EXPECT_FALSE(status.ok());
        }
        EXPECT_NE(statuses[0].ToString().find("cannot be changed"),
                  std::string::npos);
      }
    }
    EXPECT_EQ(policy->GetId(), id);
    EXPECT_EQ(BuildBlock(policy), block);
  }
}

TEST_F(LivePolicyTest, HasNoOptionsOfItsOwn) {
  for (const PolicyPtr& policy : LivePolicies()) {
    ASSERT_NE(policy, nullptr);
    std::string text = "not called";
    EXPECT_TRUE(policy->GetOptionString(ConfigOptions(), &text).ok());
    EXPECT_EQ(text, "");
    EXPECT_EQ(policy->ToString(ConfigOptions()), policy->GetId());
    std::unordered_set<std::string> names;
    EXPECT_TRUE(policy->GetOptionNames(ConfigOptions(), &names).ok());
    EXPECT_TRUE(names.empty());
  }
}

TEST_F(LivePolicyTest, ARefusedOneStaysRefused) {
  const PolicyPtr policy = Create("cassandra_bloom:abc");
  ASSERT_NE(policy, nullptr);
  for (const char* const text : {"", "12", "bits_per_key=12", ";"}) {
    EXPECT_FALSE(
        Mutable(policy)->ConfigureFromString(ConfigOptions(), text).ok())
        << text;
  }
  EXPECT_TRUE(IsRefusal(Mutable(policy)->PrepareOptions(ConfigOptions()),
                        {"", "'abc'", "0 to 100"}));
}

// For options without an id, RocksDB makes a new policy with the id of the
// existing policy. Then RocksDB passes the options to the new policy, which
// must refuse them, because the id already contains the bits per key or the
// chance.
TEST_F(LivePolicyTest, OptionsWithoutANameAreRefused) {
  for (const char* const option :
       {"bits_per_key=12", "fp_chance=0.01", "fp_chance=junk", "foo=bar"}) {
    SCOPED_TRACE(option);
    for (const PolicyPtr& policy : LivePolicies()) {
      ASSERT_NE(policy, nullptr);
      SCOPED_TRACE(policy->GetId());
      if (policy->GetId() == "cassandra_bloom") {
        continue;
      }
      TempDb db;
      Options options = db.options();
      SetTableOption(policy, std::string("filter_policy={") + option + "}",
                     &options)
          .PermitUncheckedError();
      EXPECT_TRUE(IsRefusal(db.Open(options), {"", option, "0 to 100"}));
    }
  }
}

// RocksDB makes a new policy with the id "cassandra_bloom", and passes the
// options to this policy. The id contains no setting, so valid options are
// accepted.
TEST_F(LivePolicyTest, OptionsOverTheBareName) {
  const struct {
    const char* option;
    const char* id;  // Empty if the option is refused.
  } cases[] = {{"bits_per_key=12", "cassandra_bloom:12"},
               {"fp_chance=0.01", "cassandra_bloom:fp:0.01"},
               {"blocks=rocksdb", "cassandra_bloom:10:blocks:rocksdb"},
               {"blocks=foo", ""},
               {"bits_per_key=junk", ""},
               {"foo=bar", ""}};
  for (const auto& test : cases) {
    SCOPED_TRACE(test.option);
    TempDb db;
    Options options = db.options();
    SetTableOption(Create("cassandra_bloom"),
                   std::string("filter_policy={") + test.option + "}", &options)
        .PermitUncheckedError();
    const Status status = db.Open(options);
    if (*test.id == '\0') {
      EXPECT_TRUE(IsRefusal(status, {"", "", ""}));
    } else {
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(FilterPolicyOf(options)->GetId(), test.id);
    }
  }
}

// RocksDB makes a new policy with the id of the existing policy, and passes the
// option to the new policy. An option that the id already contains is refused.
TEST_F(LivePolicyTest, BlocksOverAPolicyWithBits) {
  const struct {
    const char* policy;
    const char* option;
    const char* id;  // Empty if the option is refused.
  } cases[] = {
      {"cassandra_bloom:12", "blocks=rocksdb",
       "cassandra_bloom:12:blocks:rocksdb"},
      {"cassandra_bloom:12", "blocks=cassandra", "cassandra_bloom:12"},
      {"cassandra_bloom:12:blocks:rocksdb", "blocks=cassandra", ""},
      {"cassandra_bloom:12:partition_key:u16", "blocks=rocksdb", ""},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(std::string(test.policy) + " " + test.option);
    TempDb db;
    Options options = db.options();
    SetTableOption(Create(test.policy),
                   std::string("filter_policy={") + test.option + "}", &options)
        .PermitUncheckedError();
    const Status status = db.Open(options);
    if (*test.id == '\0') {
      EXPECT_TRUE(IsRefusal(status, {"", "", ""}));
    } else {
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(FilterPolicyOf(options)->GetId(), test.id);
    }
  }
}

// A nested name has a dot after filter_policy. RocksDB handles such names
// itself, and does not pass them to a policy.
TEST_F(LivePolicyTest, NestedNamesAreTakenAsForTheBuiltInPolicy) {
  const std::function<std::string(const std::string& id)> options_of[] = {
      [](const std::string&) { return "filter_policy.bits_per_key=12"; },
      [](const std::string&) { return "filter_policy.name.bits_per_key=12"; },
      [](const std::string& id) {
        return "filter_policy." + id + ".bits_per_key=12";
      },
      [](const std::string&) { return "filter_policy.bits_per_key="; },
  };
  for (const auto& option_of : options_of) {
    const PolicyPtr built_in(NewBloomFilterPolicy(10));
    const PolicyPtr ours(NewCassandraBloomPolicy(10));
    SCOPED_TRACE(option_of(ours->GetId()));
    const auto set = [&](const PolicyPtr& policy, Options* options) {
      return SetTableOption(policy, option_of(policy->GetId()), options);
    };
    Options with_built_in;
    Options with_ours;
    EXPECT_EQ(set(built_in, &with_built_in).code(),
              set(ours, &with_ours).code());
    EXPECT_EQ(FilterPolicyOf(with_ours) == ours,
              FilterPolicyOf(with_built_in) == built_in);
  }
}

// cassandra_bloom must claim these misspelt names. Otherwise RocksDB would find
// no policy, and would continue without one.
TEST_F(LivePolicyTest, AMisspeltPolicyIsNotSilentlyNone) {
  for (const char* const text :
       {"{cassandra_bloom:10}", "{cassandra_bloom:abc}",
        "{cassandra_bloom:10;foo=bar}", "{cassandra_bloom=12}",
        "{cassandra_bloom;bits_per_key=12}",
        "{id=cassandra_bloom;bits_per_key=12", "\"cassandra_bloom:10\"",
        "{id=cassandra_bloom;bits_per_key=12;junk}"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(Create(text), nullptr);
    for (const OptionRoute& route : OptionRoutes()) {
      SCOPED_TRACE(route.name);
      Options base;
      SetFilterPolicy(nullptr, &base);
      Options options;
      if (route.takes_braces &&
          route.load(ConfigOptions(), base, text, &options).ok()) {
        EXPECT_NE(FilterPolicyOf(options), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
