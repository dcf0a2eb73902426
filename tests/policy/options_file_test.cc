// SPDX-License-Identifier: Apache-2.0

// Tests policies in the OPTIONS file of a database.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>

#include <string>
#include <vector>

#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

class OptionsFileTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterInDefaultRegistry(); }

  static Options OptionsWith(const std::string& policy) {
    Options options = DbOptions(nullptr);
    Require(GetOptionsFromString(
        ConfigOptions(), options,
        "block_based_table_factory={filter_policy=" + policy + "}", &options));
    return options;
  }

  void Fill() {
    db_.Put(dataset_.rows);
    db_.Flush();
  }

  void ExpectFilled() { EXPECT_TRUE(GetsMatch(db_.source(), dataset_)); }

  Status LoadLatest() {
    return ROCKSDB_NAMESPACE::LoadLatestOptions(ConfigOptions(), db_.path(),
                                                &db_options_, &families_);
  }

  // Opens the database with the default column family's options from the newest
  // OPTIONS file.
  Status OpenLatest() {
    Status status = LoadLatest();
    if (status.ok()) {
      db_options_.statistics = rocksdb::CreateDBStatistics();
      status = db_.TryOpen(Options(db_options_, families_.at(0).options));
    }
    return status;
  }

  std::string LatestOptionsFile() {
    std::string name;
    Require(ROCKSDB_NAMESPACE::GetLatestOptionsFileName(
        db_.path(), rocksdb::Env::Default(), &name));
    return db_.path() + "/" + name;
  }

  void EditPolicy(const std::string& from, const std::string& to) {
    std::string text = ReadFile(LatestOptionsFile());
    const std::string line = "filter_policy=" + from + "\n";
    const size_t position = text.find(line);
    ASSERT_NE(position, std::string::npos) << from;
    text.replace(position, line.size(), "filter_policy=" + to + "\n");
    WriteFile(LatestOptionsFile(), text);
  }

  const Dataset dataset_ = NumberedDataset(100, 100);
  TestDb db_;
  // From the newest OPTIONS file.
  DBOptions db_options_;
  std::vector<ColumnFamilyDescriptor> families_;
};

TEST_F(OptionsFileTest, AReopenedDatabaseHasTheSamePolicy) {
  for (const std::string id :
       {"cassandra_bloom:9.5", "cassandra_bloom:fp:6.71e-05",
        "cassandra_bloom:mix:10:filter:ribbon", "cassandra_bloom:0",
        "cassandra_bloom:level_bits:14,12:bottommost_bits:8:partition_key:"
        "skip:8,u16"}) {
    SCOPED_TRACE(id);
    const Options options = OptionsWith(id);
    db_.Reopen(options);
    Fill();
    EXPECT_EQ(db_.OnlyTable()->filter_policy_name,
              FilterPolicyOf(options)->Name());
    EXPECT_NE(ReadFile(LatestOptionsFile()).find("filter_policy=" + id),
              std::string::npos);
    Require(OpenLatest());
    EXPECT_EQ(IdOf(FilterPolicyOf(db_.options())), id);
    EXPECT_EQ(BuildBlock(FilterPolicyOf(db_.options())),
              BuildBlock(FilterPolicyOf(options)));
    ExpectFilled();
    EXPECT_EQ(db_.ReadsFiltered() > 0, id != "cassandra_bloom:0");
    db_.Close();
    Require(DestroyDB(db_.path(), options));
  }
}

TEST_F(OptionsFileTest, AnEditedFileIsTakenOrRefused) {
  db_.Reopen(OptionsWith("cassandra_bloom:10"));
  Fill();
  std::string written = "cassandra_bloom:10";
  for (const RefusedString& refused :
       {RefusedString{"cassandra_bloom:abc", "'abc'", "from 0 to 100"},
        {"{id=cassandra_bloom;bits=10}", "'bits=10'", "bits_per_key"}}) {
    SCOPED_TRACE(refused.text);
    db_.Close();
    ASSERT_NO_FATAL_FAILURE(EditPolicy(written, refused.text));
    EXPECT_TRUE(IsRefusal(OpenLatest(), refused));
    written = refused.text;
  }
  ASSERT_NO_FATAL_FAILURE(EditPolicy(written, "cassandra_bloom:12"));
  Require(OpenLatest());
  EXPECT_EQ(IdOf(FilterPolicyOf(db_.options())), "cassandra_bloom:12");
  ExpectFilled();
}

TEST_F(OptionsFileTest, EveryColumnFamilyHasItsOwn) {
  db_.Reopen(OptionsWith("cassandra_bloom:9.5"));
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db_->CreateColumnFamily(OptionsWith("cassandra_bloom:7"), "other",
                                  &family));
  Require(db_->DestroyColumnFamilyHandle(family));
  db_.Close();
  Require(LoadLatest());
  ASSERT_EQ(families_.size(), 2u);
  EXPECT_EQ(IdOf(FilterPolicyOf(families_[0].options)), "cassandra_bloom:9.5");
  EXPECT_EQ(IdOf(FilterPolicyOf(families_[1].options)), "cassandra_bloom:7");
  ASSERT_NO_FATAL_FAILURE(
      EditPolicy("cassandra_bloom:7", "cassandra_bloom:seven"));
  EXPECT_TRUE(IsRefusal(LoadLatest(), {"", "'seven'", "from 0 to 100"}));
}

}  // namespace
}  // namespace cassandra_bloom::testing
