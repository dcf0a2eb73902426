// SPDX-License-Identifier: Apache-2.0

// Changing our policy in an open database must have the same result as changing
// RocksDB's own policy.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <string>

#include "tests/policy/policy_probe.h"
#include "tests/policy/temp_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

class SetOptionsTest : public ::testing::Test {
 protected:
  struct Answer {
    std::string status;
    bool unchanged;
    std::string id;  // The id of the policy after the change.
  };

  void SetUp() override { RegisterInDefaultRegistry(); }

  static std::string Replaced(std::string text, const std::string& from,
                              const std::string& to) {
    const size_t position = text.find(from);
    return position == std::string::npos
               ? text
               : text.replace(position, from.size(), to);
  }

  // In `change`, NAME stands for `name`.
  static Answer Change(const std::string& name, const std::string& change) {
    return ChangeFrom(name + ":10", Replaced(change, "NAME", name));
  }

  // Writes a file with the policy `text`, sets the table options `change`, and
  // writes another file. In `change`, ID stands for the id of the policy.
  static Answer ChangeFrom(const std::string& text, const std::string& change) {
    TempDb db;
    Options options = db.options();
    PolicyPtr policy;
    EXPECT_TRUE(
        FilterPolicy::CreateFromString(ConfigOptions(), text, &policy).ok());
    const std::string value = Replaced(change, "ID", policy->GetId());
    SetFilterPolicy(policy, &options);
    EXPECT_TRUE(db.Open(options).ok());
    EXPECT_NO_FATAL_FAILURE(db.Fill());
    const Status status =
        db.db()->SetOptions({{"block_based_table_factory", value}});
    EXPECT_NO_FATAL_FAILURE(db.Fill());
    db.ExpectFilled();
    const PolicyPtr now = FilterPolicyOf(db.db()->GetOptions());
    return {status.ToString(), now == policy, IdOf(now)};
  }
};

TEST_F(SetOptionsTest, AnswersAsForTheBuiltInPolicy) {
  for (const char* const change :
       {"{filter_policy=NAME:12}", "{filter_policy=ID}",
        "{filter_policy=nullptr}", "{filter_policy.id=NAME:12}",
        "{block_size=8192}", "{filter_policy=ID;block_size=8192}"}) {
    SCOPED_TRACE(change);
    const Answer built_in = Change("bloomfilter", change);
    const Answer ours = Change("cassandra_bloom", change);
    EXPECT_EQ(ours.status, built_in.status);
    EXPECT_EQ(ours.unchanged, built_in.unchanged);
    EXPECT_EQ(ours.id == "(none)", built_in.id == "(none)");
  }
}

// RocksDB must accept or refuse a change of our policy like a change of its own
// policy. RocksDB before 9.8 refuses every change.
TEST_F(SetOptionsTest, TheFormOfBlocksChangesAsBitsDo) {
  const std::string status =
      Change("bloomfilter", "{filter_policy=bloomfilter:12}").status;
  const struct {
    const char* from;
    const char* to;
  } cases[] = {
      {"cassandra_bloom:10", "cassandra_bloom:10:blocks:rocksdb"},
      {"cassandra_bloom:10:blocks:rocksdb", "cassandra_bloom:10"},
      {"bloomfilter:10", "cassandra_bloom:10:blocks:rocksdb"},
      {"cassandra_bloom:10:blocks:rocksdb", "ribbonfilter:10"},
      {"cassandra_bloom:10", "cassandra_bloom:mix:12"},
      {"bloomfilter:10",
       "cassandra_bloom:12:bottommost_filter:ribbon:blocks:rocksdb"},
  };
  for (const auto& change : cases) {
    SCOPED_TRACE(std::string(change.from) + " to " + change.to);
    const Answer answer = ChangeFrom(
        change.from, std::string("{filter_policy=") + change.to + "}");
    EXPECT_EQ(answer.status == "OK", status == "OK") << answer.status;
    const std::string expected = status == "OK" ? change.to : change.from;
    EXPECT_EQ(answer.id.substr(0, expected.size()), expected);
  }
}

TEST_F(SetOptionsTest, AWrongStringDoesNotTakeThePolicyAway) {
  for (const char* const change :
       {"{filter_policy=cassandra_bloom:abc}",
        "{filter_policy={id=cassandra_bloom;bits_per_key=junk}}",
        "{filter_policy={bits_per_key=junk}}",
        "{filter_policy=cassandra_bloom:mix:1}",
        "{filter_policy=cassandra_bloom:10:filter:bloom}"}) {
    SCOPED_TRACE(change);
    ::testing::internal::CaptureStderr();
    const Answer answer = Change("cassandra_bloom", change);
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
