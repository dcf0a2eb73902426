// The policy as a plugin in RocksDB's own tree, with nothing but what RocksDB
// gives: found by its name, unregistered and unloaded by anybody.
//
// RocksDB's builds want one file for each test, with a main function.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
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
    // Several of these tests may run at once.
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

  void Write() {
    for (int i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "value").ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  }

  void ExpectOurFilters() {
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
    }
    for (int i = 0; i < kNumKeys; ++i) {
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
  ASSERT_TRUE(Open("filter_policy=cassandra_bloom:10").ok());
  Write();
  ExpectOurFilters();
}

TEST_F(CassandraBloomPluginTest, PartitionedFilters) {
  ASSERT_TRUE(Open("filter_policy=cassandra_bloom:fp:0.01;partition_filters="
                   "true;index_type=kTwoLevelIndexSearch;metadata_block_size="
                   "1024")
                  .ok());
  Write();
  ExpectOurFilters();
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
