// SPDX-License-Identifier: Apache-2.0

// Tests the prefix extractor that is configured with a string.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::NewCassandraPartitionTransform;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;

// The configured string, and the id of the extractor.
constexpr const char* kAccepted[][2] = {
    {"cassandra_partition:fixed:16", "cassandra_partition:fixed:16"},
    {"cassandra_partition:skip:8,fixed:16",
     "cassandra_partition:skip:8,fixed:16"},
    {"cassandra_partition:u16", "cassandra_partition:u16"},
    {"cassandra_partition:skip:0,u16", "cassandra_partition:u16"},
    {"cassandra_partition:skip:8,u16", "cassandra_partition:skip:8,u16"},
    {"cassandra_partition:skip:8,composite:2",
     "cassandra_partition:skip:8,composite:2"},
    {"{id=cassandra_partition:skip:8,u16}", "cassandra_partition:skip:8,u16"},
};

// The refused string, and two parts of the error message.
constexpr const char* kRefused[][3] = {
    {"cassandra_partition", "'cassandra_partition'", "PARTITION_KEY"},
    {"cassandra_partition:", "''", "skip:S,u16"},
    {"cassandra_partition:8", "'8'", "skip:S,u16"},
    {"cassandra_partition:skip:8,u32", "'skip:8,u32'", "skip:S,u16"},
    {"cassandra_partition.skip:8,u16", "'cassandra_partition.skip:8,u16'",
     "PARTITION_KEY"},
    {"cassandra_partitions:u16", "'cassandra_partitions:u16'", "PARTITION_KEY"},
    {"cassandra_partition:whole", "'whole'", "end of every key"},
    {"cassandra_partition:skip:8", "'skip:8'", "end of every key"},
    {"cassandra_partition:fixed:0", "'fixed:0'", "skip:S,u16"},
    {"cassandra_partition:a-refused-setting", "'a-refused-setting'",
     "skip:S,u16"},
    {"{id=cassandra_partition:skip:8,u32}", "'skip:8,u32'", "skip:S,u16"},
    {"{id=cassandra_partition:u16;length=2}", "'length=2'", "no options"},
};

struct Loaded {
  Status status;
  TransformPtr transform;
};

// Loads the extractor alone, in the options of a column family, and in an
// OPTIONS file.
std::vector<Loaded> LoadOnEveryWay(const ConfigOptions& config,
                                   const std::string& text) {
  std::vector<Loaded> all(3);
  all[0].status =
      SliceTransform::CreateFromString(config, text, &all[0].transform);
  ColumnFamilyOptions family;
  all[1].status = rocksdb::GetColumnFamilyOptionsFromString(
      config, {}, "prefix_extractor=" + text, &family);
  all[1].transform = family.prefix_extractor;
  ColumnFamilyOptions in_file;
  all[2].status = LoadOptionsFile(
      config, "nullptr", "  prefix_extractor=" + text + "\n", &in_file);
  all[2].transform = in_file.prefix_extractor;
  return all;
}

class PartitionTransformTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterInDefaultRegistry(); }
};

TEST_F(PartitionTransformTest, AcceptedStringsArriveOnEveryWay) {
  for (const ConfigOptions& config : StrictAndLenient()) {
    SCOPED_TRACE(config.ignore_unknown_options);
    for (const auto& [text, id] : kAccepted) {
      SCOPED_TRACE(text);
      for (const Loaded& loaded : LoadOnEveryWay(config, text)) {
        EXPECT_TRUE(loaded.status.ok()) << loaded.status.ToString();
        EXPECT_EQ(IdOf(loaded.transform), id);
      }
    }
  }
}

TEST_F(PartitionTransformTest, RefusedStringsAreRefusedOnEveryWay) {
  for (const ConfigOptions& config : StrictAndLenient()) {
    SCOPED_TRACE(config.ignore_unknown_options);
    for (const auto& [text, value, range] : kRefused) {
      SCOPED_TRACE(text);
      for (const Loaded& loaded : LoadOnEveryWay(config, text)) {
        Status status = loaded.status;
        if (status.ok()) {
          // RocksDB ignores the error only with ignore_unknown_options.
          EXPECT_TRUE(config.ignore_unknown_options);
          ASSERT_NE(loaded.transform, nullptr) << "silently no extractor";
          EXPECT_FALSE(loaded.transform->InDomain("a key"));
          Options options = DbOptions(nullptr);
          options.prefix_extractor = loaded.transform;
          status = TestDb().TryOpen(options);
        }
        const std::string message = status.ToString();
        EXPECT_TRUE(status.IsInvalidArgument()) << message;
        EXPECT_NE(message.find(value), std::string::npos) << message;
        EXPECT_NE(message.find(range), std::string::npos) << message;
      }
    }
  }
}

TEST_F(PartitionTransformTest, CanBeChangedInAnOpenDatabase) {
  TestDb db(DbOptions(nullptr));
  const auto set = [&](const char* value) {
    return db->SetOptions({{"prefix_extractor", value}});
  };
  const auto now = [&] { return IdOf(db->GetOptions().prefix_extractor); };
  EXPECT_TRUE(set("cassandra_partition:skip:8,u16").ok());
  EXPECT_EQ(now(), "cassandra_partition:skip:8,u16");
  for (const auto& refused : kRefused) {
    SCOPED_TRACE(refused[0]);
    EXPECT_TRUE(set(refused[0]).IsInvalidArgument());
    EXPECT_EQ(now(), "cassandra_partition:skip:8,u16");
  }
  EXPECT_TRUE(set("cassandra_partition:fixed:4").ok());
  EXPECT_EQ(now(), "cassandra_partition:fixed:4");
  EXPECT_EQ(IdOf(LatestOptions(ConfigOptions(), db).prefix_extractor),
            "cassandra_partition:fixed:4");
}

// RocksDB may pass options to an object that a database uses.
TEST_F(PartitionTransformTest, OneInUseIsNotChanged) {
  for (const bool from_string : {true, false}) {
    TransformPtr transform;
    ASSERT_TRUE(
        (from_string
             ? SliceTransform::CreateFromString(
                   ConfigOptions(), "cassandra_partition:u16", &transform)
             : NewCassandraPartitionTransform("u16", &transform))
            .ok());
    const std::string id = IdOf(transform);
    const std::string key("\0\1kx", 4);
    ASSERT_TRUE(transform->InDomain(key));
    auto* const in_use = const_cast<SliceTransform*>(transform.get());
    EXPECT_TRUE(in_use->ConfigureFromMap(ConfigOptions(), {{"u16", "1"}})
                    .IsInvalidArgument());
    EXPECT_EQ(IdOf(transform), id);
    EXPECT_TRUE(transform->InDomain(key));
    EXPECT_TRUE(in_use->PrepareOptions(ConfigOptions()).ok());
  }
}

TEST_F(PartitionTransformTest, WrongOnesInCppAreRefused) {
  for (const char* const wrong : {"", "whole", "skip:8", "skip:8,u32"}) {
    TransformPtr transform;
    EXPECT_TRUE(
        NewCassandraPartitionTransform(wrong, &transform).IsInvalidArgument());
    EXPECT_EQ(transform, nullptr);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
