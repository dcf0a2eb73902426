// SPDX-License-Identifier: Apache-2.0

// Tests policies in the OPTIONS file of a database.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/policy/policy_probe.h"
#include "tests/policy/temp_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString;
using ROCKSDB_NAMESPACE::GetLatestOptionsFileName;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TablePropertiesCollection;

class OptionsFileTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterInDefaultRegistry(); }

  ColumnFamilyOptions FamilyWith(const std::string& policy) {
    ColumnFamilyOptions family;
    EXPECT_TRUE(GetColumnFamilyOptionsFromString(
                    ConfigOptions(), ColumnFamilyOptions(),
                    "block_based_table_factory={filter_policy=" + policy + "}",
                    &family)
                    .ok());
    return family;
  }

  Options OptionsWith(const std::string& policy) {
    return Options(db_.options(), FamilyWith(policy));
  }

  std::string LatestOptionsFile() {
    std::string name;
    EXPECT_TRUE(
        GetLatestOptionsFileName(db_.path(), Env::Default(), &name).ok());
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

  std::vector<std::string> PoliciesOfFiles() {
    TablePropertiesCollection all;
    EXPECT_TRUE(db_.db()->GetPropertiesOfAllTables(&all).ok());
    std::vector<std::string> names;
    for (const auto& [file, properties] : all) {
      names.push_back(properties->filter_policy_name);
    }
    return names;
  }

  TempDb db_;
};

TEST_F(OptionsFileTest, AReopenedDatabaseHasTheSamePolicy) {
  for (const AcceptedString& accepted : AcceptedStrings()) {
    SCOPED_TRACE(accepted.text);
    const Options options = OptionsWith(accepted.text);
    ASSERT_TRUE(db_.Open(options).ok());
    ASSERT_NO_FATAL_FAILURE(db_.Fill());
    EXPECT_EQ(PoliciesOfFiles().front(), FilterPolicyOf(options)->Name());
    EXPECT_NE(ReadFile(LatestOptionsFile())
                  .find("filter_policy=" + std::string(accepted.id)),
              std::string::npos);

    std::vector<ColumnFamilyOptions> loaded;
    ASSERT_TRUE(db_.OpenLatest(&loaded).ok());
    ASSERT_EQ(loaded.size(), 1u);
    EXPECT_EQ(IdOf(FilterPolicyOf(loaded[0])), accepted.id);
    EXPECT_EQ(BuildBlock(FilterPolicyOf(loaded[0])),
              BuildBlock(FilterPolicyOf(options)));
    const uint64_t filtered_before = db_.NumFiltered();
    db_.ExpectFilled();
    EXPECT_EQ(db_.NumFiltered() > filtered_before, accepted.num_probes != 0);
    db_.Close();
    ASSERT_TRUE(DestroyDB(db_.path(), options).ok());
  }
}

TEST_F(OptionsFileTest, EveryColumnFamilyKeepsItsOwn) {
  ASSERT_TRUE(db_.Open(OptionsWith("cassandra_bloom:9.5")).ok());
  TempDb::Handle family = nullptr;
  ASSERT_TRUE(db_.db()
                  ->CreateColumnFamily(FamilyWith("cassandra_bloom:fp:0.01"),
                                       "by chance", &family)
                  .ok());
  db_.Adopt(family);
  std::vector<ColumnFamilyOptions> loaded;
  ASSERT_TRUE(db_.OpenLatest(&loaded).ok());
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(IdOf(FilterPolicyOf(loaded[0])), "cassandra_bloom:9.5");
  EXPECT_EQ(IdOf(FilterPolicyOf(loaded[1])), "cassandra_bloom:fp:0.01");
}

TEST_F(OptionsFileTest, AnEditedFileIsTakenOrRefused) {
  ASSERT_TRUE(db_.Open(OptionsWith("cassandra_bloom:10")).ok());
  ASSERT_NO_FATAL_FAILURE(db_.Fill());
  std::vector<ColumnFamilyOptions> loaded;
  std::string written = "cassandra_bloom:10";
  for (const RefusedString& refused : RefusedStrings()) {
    SCOPED_TRACE(refused.text);
    db_.Close();
    ASSERT_NO_FATAL_FAILURE(EditPolicy(written, refused.text));
    EXPECT_TRUE(IsRefusal(db_.OpenLatest(&loaded), refused));
    written = refused.text;
  }
  for (const AcceptedString& accepted : AcceptedStrings()) {
    SCOPED_TRACE(accepted.text);
    db_.Close();
    ASSERT_NO_FATAL_FAILURE(EditPolicy(written, accepted.text));
    ASSERT_TRUE(db_.OpenLatest(&loaded).ok());
    EXPECT_EQ(IdOf(FilterPolicyOf(loaded.at(0))), accepted.id);
    db_.ExpectFilled();
    written = accepted.id;  // Opening writes a new OPTIONS file.
  }
}

// RocksDB validates every column family, not only the default column family.
TEST_F(OptionsFileTest, OneWrongColumnFamilyIsEnoughToRefuse) {
  ASSERT_TRUE(db_.Open(OptionsWith("bloomfilter:10")).ok());
  TempDb::Handle family = nullptr;
  ASSERT_TRUE(db_.db()
                  ->CreateColumnFamily(FamilyWith("cassandra_bloom:7"), "other",
                                       &family)
                  .ok());
  db_.Adopt(family);
  db_.Close();
  ASSERT_NO_FATAL_FAILURE(
      EditPolicy("cassandra_bloom:7", "cassandra_bloom:seven"));
  std::vector<ColumnFamilyOptions> loaded;
  EXPECT_TRUE(IsRefusal(db_.OpenLatest(&loaded), {"", "'seven'", "0 to 100"}));
}

// The mark is the memtable_factory below, which only programs with
// cassandra_bloom know. RocksDB reads back each new OPTIONS file with the
// default registry. So this registry must know the mark.
TEST_F(OptionsFileTest, TheMarkOfAFileIsKept) {
  Options options = OptionsWith("cassandra_bloom:10");
  ASSERT_TRUE(
      GetColumnFamilyOptionsFromString(
          ConfigOptions(), options,
          "memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}",
          &options)
          .ok());
  ASSERT_TRUE(db_.Open(options).ok());
  ASSERT_NO_FATAL_FAILURE(db_.Fill());
  std::vector<ColumnFamilyOptions> loaded;
  for (int reopened = 0; reopened < 2; ++reopened) {
    ASSERT_TRUE(db_.OpenLatest(&loaded).ok());
    EXPECT_EQ(loaded.at(0).memtable_factory->GetId(), "SkipListFactory:00");
    EXPECT_EQ(IdOf(FilterPolicyOf(loaded.at(0))), "cassandra_bloom:10");
    EXPECT_NE(ReadFile(LatestOptionsFile())
                  .find("{id=SkipListFactory:00;cassandra_bloom=required;}"),
              std::string::npos);
    db_.ExpectFilled();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
