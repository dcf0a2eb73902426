// SPDX-License-Identifier: Apache-2.0

// Strings that name no policy, or misspell a policy, must never silently change
// or remove an existing cassandra_bloom policy.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/option_routes.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

PolicyPtr CreatePolicy(const std::string& text) {
  RegisterInDefaultRegistry();
  PolicyPtr policy;
  FilterPolicy::CreateFromString(ConfigOptions(), text, &policy)
      .PermitUncheckedError();
  return policy;
}

// RocksDB's pointers to policies are const, so that nobody changes a policy.
// Removes the const, because the tests try to change policies.
FilterPolicy* Mutable(const PolicyPtr& policy) {
  return const_cast<FilterPolicy*>(policy.get());
}

TEST(LivePolicyTest, CannotBeConfigured) {
  const std::unordered_map<std::string, std::string> maps[] = {
      {{"bits_per_key", "12"}},
      {{"fp_chance", "junk"}},
      {{"blocks", "rocksdb"}},
      {{"id", "cassandra_bloom:12"}},
      {{"foo", "bar"}}};
  for (const PolicyPtr& policy :
       {CreatePolicy("cassandra_bloom"), CreatePolicy("cassandra_bloom:10"),
        CreatePolicy("{id=cassandra_bloom;fp_chance=0.01}"),
        PolicyPtr(NewCassandraBloomPolicy(10))}) {
    ASSERT_NE(policy, nullptr);
    SCOPED_TRACE(policy->GetId());
    const std::string id = policy->GetId();
    const std::string block = BuildBlock(policy);
    for (const auto& map : maps) {
      const auto& [name, value] = *map.begin();
      SCOPED_TRACE(name + "=" + value);
      const ConfigOptions config;
      const Status status = Mutable(policy)->ConfigureFromMap(config, map);
      EXPECT_NE(status.ToString().find("cannot be changed; give the whole"),
                std::string::npos);
      EXPECT_FALSE(Mutable(policy)
                       ->ConfigureFromString(config, name + "=" + value)
                       .ok());
      EXPECT_FALSE(Mutable(policy)->ConfigureFromString(config, value).ok());
      EXPECT_FALSE(Mutable(policy)->ConfigureOption(config, name, value).ok());
    }
    EXPECT_EQ(policy->GetId(), id);
    EXPECT_EQ(BuildBlock(policy), block);
  }
}

// For options without an id, RocksDB makes a new policy with the id of the
// existing policy, and passes the options to the new policy. It must refuse a
// setting that its id already has.
TEST(LivePolicyTest, OptionsWithoutAName) {
  const struct {
    const char* policy;
    const char* option;
    const char* id;  // Empty if the option is refused.
  } cases[] = {
      {"cassandra_bloom", "bits_per_key=12", "cassandra_bloom:12"},
      {"cassandra_bloom", "fp_chance=0.01", "cassandra_bloom:fp:0.01"},
      {"cassandra_bloom", "blocks=foo", ""},
      {"cassandra_bloom", "foo=bar", ""},
      {"cassandra_bloom:10", "bits_per_key=12", ""},
      {"cassandra_bloom:10", "fp_chance=0.01", ""},
      {"cassandra_bloom:fp:0.01", "bits_per_key=12", ""},
      {"cassandra_bloom:12", "blocks=rocksdb",
       "cassandra_bloom:12:blocks:rocksdb"},
      {"cassandra_bloom:12:blocks:rocksdb", "blocks=cassandra", ""},
      {"cassandra_bloom:12:partition_key:u16", "blocks=rocksdb", ""},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(std::string(test.policy) + " " + test.option);
    Options options = DbOptions(CreatePolicy(test.policy));
    GetOptionsFromString(ConfigOptions(), options,
                         "block_based_table_factory={filter_policy={" +
                             std::string(test.option) + "}}",
                         &options)
        .PermitUncheckedError();
    const Status status = TestDb().TryOpen(options);
    if (*test.id == '\0') {
      EXPECT_TRUE(IsRefusal(status, {"", "", ""}));
    } else {
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(FilterPolicyOf(options)->GetId(), test.id);
    }
  }
}

// cassandra_bloom must claim these misspelt names. Otherwise RocksDB would find
// no policy, and would continue without one.
TEST(LivePolicyTest, AMisspeltPolicyIsNotSilentlyNone) {
  for (const char* const text :
       {"{cassandra_bloom:10}", "{cassandra_bloom:abc}",
        "{cassandra_bloom:10;foo=bar}", "{cassandra_bloom=12}",
        "{cassandra_bloom;bits_per_key=12}",
        "{id=cassandra_bloom;bits_per_key=12", "\"cassandra_bloom:10\"",
        "{id=cassandra_bloom;bits_per_key=12;junk}"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(CreatePolicy(text), nullptr);
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
