// SPDX-License-Identifier: Apache-2.0

// Changing our policy in an open database must have the same result as changing
// RocksDB's own policy. RocksDB before 9.8 refuses every change.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <string>

#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

struct ChangeAnswer {
  std::string status;
  std::string id;  // The id of the policy after the change.
};

// Writes a file with the policy `from`, sets the policy `to`, and writes
// another file.
ChangeAnswer ChangePolicy(const std::string& from, const std::string& to) {
  RegisterInDefaultRegistry();
  const Dataset dataset = NumberedDataset(100, 100);
  PolicyPtr policy;
  Require(FilterPolicy::CreateFromString(ConfigOptions(), from, &policy));
  TestDb db(DbOptions(policy));
  db.Put(dataset.rows);
  db.Flush();
  const Status status = db->SetOptions(
      {{"block_based_table_factory", "{filter_policy=" + to + "}"}});
  db.Put(dataset.rows);
  db.Flush();
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  return {status.ToString(), IdOf(FilterPolicyOf(db->GetOptions()))};
}

TEST(SetOptionsTest, AnswersAsForTheBuiltInPolicy) {
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

TEST(SetOptionsTest, AWrongStringDoesNotTakeThePolicyAway) {
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
