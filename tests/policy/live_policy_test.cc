// SPDX-License-Identifier: Apache-2.0

// Nothing may silently change or remove a policy that a database uses.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

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
       {PolicyFrom("cassandra_bloom"), PolicyFrom("cassandra_bloom:10"),
        PolicyFrom("{id=cassandra_bloom;fp_chance=0.01}"), OurPolicy()}) {
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
    Options options = DbOptions(PolicyFrom(test.policy));
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

// ---- In a database ----

TEST(LivePolicyTest, AReopenedDatabaseHasTheSamePolicy) {
  const Dataset dataset = NumberedDataset(100, 100);
  for (const std::string id :
       {"cassandra_bloom:9.5", "cassandra_bloom:fp:6.71e-05",
        "cassandra_bloom:mix:10:filter:ribbon", "cassandra_bloom:0",
        "cassandra_bloom:level_bits:14,12:bottommost_bits:8:partition_key:"
        "skip:8,u16"}) {
    SCOPED_TRACE(id);
    const PolicyPtr policy = PolicyFrom(id);
    TestDb db(DbOptions(policy), dataset.rows);
    EXPECT_EQ(db.OnlyTable()->filter_policy_name, policy->Name());
    Options options = LatestOptions(ConfigOptions(), db);
    options.statistics = ROCKSDB_NAMESPACE::CreateDBStatistics();
    db.Reopen(options);
    EXPECT_EQ(IdOf(FilterPolicyOf(options)), id);
    EXPECT_EQ(BuildBlock(FilterPolicyOf(options)), BuildBlock(policy));
    EXPECT_TRUE(GetsMatch(db.source(), dataset));
    EXPECT_EQ(db.ReadsFiltered() > 0, id != "cassandra_bloom:0");
  }
}

// ---- SetOptions ----

// Changing our policy in an open database must have the same result as changing
// RocksDB's own policy. RocksDB before 9.8 refuses every change.

struct ChangeAnswer {
  std::string status;
  std::string id;  // The id of the policy after the change.
};

// Writes a file with the policy `from`, sets the policy `to`, and writes
// another file.
ChangeAnswer ChangePolicy(const std::string& from, const std::string& to) {
  const Dataset dataset = NumberedDataset(100, 100);
  TestDb db(DbOptions(PolicyFrom(from)), dataset.rows);
  const Status status = db->SetOptions(
      {{"block_based_table_factory", "{filter_policy=" + to + "}"}});
  db.Fill(dataset.rows);
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  return {status.ToString(), IdOf(FilterPolicyOf(db->GetOptions()))};
}

TEST(LivePolicyTest, SetOptionsAnswersAsForTheBuiltInPolicy) {
  const std::string status =
      ChangePolicy("bloomfilter:10", "bloomfilter:12").status;
  for (const auto& [from, to] :
       {std::pair("cassandra_bloom:10", "cassandra_bloom:12"),
        {"cassandra_bloom:10", "cassandra_bloom:10:blocks:rocksdb"},
        {"cassandra_bloom:10:blocks:rocksdb", "cassandra_bloom:10"},
        {"bloomfilter:10", "cassandra_bloom:10:blocks:rocksdb"},
        {"cassandra_bloom:10:blocks:rocksdb", "ribbonfilter:10"},
        {"cassandra_bloom:10", "cassandra_bloom:mix:12"}}) {
    SCOPED_TRACE(std::string(from) + " to " + to);
    const ChangeAnswer answer = ChangePolicy(from, to);
    EXPECT_EQ(answer.status == "OK", status == "OK") << answer.status;
    const std::string expected = status == "OK" ? to : from;
    EXPECT_EQ(answer.id.substr(0, expected.size()), expected);
  }
}

TEST(LivePolicyTest, AWrongStringDoesNotTakeThePolicyAway) {
  for (const char* const wrong :
       {"cassandra_bloom:abc", "{id=cassandra_bloom;bits_per_key=junk}",
        "{bits_per_key=junk}", "cassandra_bloom:10:filter:bloom"}) {
    SCOPED_TRACE(wrong);
    ::testing::internal::CaptureStderr();
    const ChangeAnswer answer = ChangePolicy("cassandra_bloom:10", wrong);
    ::testing::internal::GetCapturedStderr();
    if (answer.status == "OK") {
      EXPECT_NE(answer.id, "cassandra_bloom:10");
      EXPECT_NE(answer.id, "(none)");
    } else {
      EXPECT_EQ(answer.id, "cassandra_bloom:10");
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
