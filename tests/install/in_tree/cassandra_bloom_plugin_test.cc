// SPDX-License-Identifier: Apache-2.0

// Tests the policy as a plugin in RocksDB's own source tree. The test registers
// nothing, because RocksDB itself must know the policy.
//
// RocksDB's builds require one file per test, with a main function.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace ROCKSDB_NAMESPACE {
namespace {

constexpr int kNumKeys = 20000;

std::string Key(int i) { return "key-" + std::to_string(i); }
std::string AbsentKey(int i) { return Key(i) + "-absent"; }

class CassandraBloomPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder;
    ASSERT_TRUE(Env::Default()->GetTestDirectory(&folder).ok());
    // Several processes may run this test at the same time.
    path_ = folder + "/cassandra_bloom_plugin_test-" + std::to_string(getpid());
    ASSERT_TRUE(DestroyDB(path_, Options()).ok());
  }

  void TearDown() override {
    db_.reset();
    EXPECT_TRUE(DestroyDB(path_, Options()).ok());
  }

  Status Open(const std::string& table_options) {
    ConfigOptions config;
    config.ignore_unsupported_options = false;
    ColumnFamilyOptions cf_options;
    Status status = GetColumnFamilyOptionsFromString(
        config, cf_options, "block_based_table_factory={" + table_options + "}",
        &cf_options);
    if (!status.ok()) {
      return status;
    }
    Options options(DBOptions(), cf_options);
    options.create_if_missing = true;
    options.statistics = CreateDBStatistics();
    statistics_ = options.statistics;
#if ROCKSDB_MAJOR >= 11
    return DB::Open(options, path_, &db_);
#else
    DB* db = nullptr;
    status = DB::Open(options, path_, &db);
    db_.reset(db);
    return status;
#endif
  }

  void ExpectOurFiltersWith(const std::string& table_options) {
    ASSERT_TRUE(Open(table_options).ok());
    for (int i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "value").ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    TablePropertiesCollection files;
    ASSERT_TRUE(db_->GetPropertiesOfAllTables(&files).ok());
    ASSERT_FALSE(files.empty());
    for (const auto& [name, properties] : files) {
      EXPECT_EQ(properties->filter_policy_name, "cassandra_bloom") << name;
      EXPECT_GT(properties->filter_size, 0u) << name;
    }
    std::string value;
    for (int i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << Key(i);
      ASSERT_TRUE(db_->Get(ReadOptions(), AbsentKey(i), &value).IsNotFound());
    }
    EXPECT_GT(statistics_->getTickerCount(BLOOM_FILTER_USEFUL),
              kNumKeys * 98u / 100);
  }

  std::string path_;
  std::unique_ptr<DB> db_;
  std::shared_ptr<Statistics> statistics_;
};

TEST_F(CassandraBloomPluginTest, FullFilters) {
  ExpectOurFiltersWith("filter_policy=cassandra_bloom:10");
}

TEST_F(CassandraBloomPluginTest, PartitionedFilters) {
  ExpectOurFiltersWith(
      "filter_policy=cassandra_bloom:fp:0.01;partition_filters=true;"
      "index_type=kTwoLevelIndexSearch;metadata_block_size=1024");
}

TEST_F(CassandraBloomPluginTest, WrongSettingIsRefused) {
  const Status status = Open("filter_policy=cassandra_bloom:ten");
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("'ten'"), std::string::npos)
      << status.ToString();
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
