// SPDX-License-Identifier: Apache-2.0

// Tests a refused string on routes where RocksDB does not validate the string.
// The string must be reported once, and no filters may be built.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/policy/policy_probe.h"
#include "tests/policy/temp_db.h"
#include "tests/support/rocksdb/opened_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::SstFileWriter;
using ROCKSDB_NAMESPACE::Status;

class UnvalidatedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RegisterInDefaultRegistry();
    ::testing::internal::CaptureStderr();
  }

  void TearDown() override {
    if (!stderr_taken_) {
      ::testing::internal::GetCapturedStderr();
    }
  }

  Options OptionsWith(const std::string& policy_string) {
    PolicyPtr policy;
    FilterPolicy::CreateFromString(ConfigOptions(), policy_string, &policy)
        .PermitUncheckedError();
    Options options = db_.options();
    SetFilterPolicy(policy, &options);
    return options;
  }

  // Expects exactly one line about `refused` in LOG and stderr together.
  void ExpectReportedOnce(const RefusedString& refused) {
    stderr_taken_ = true;
    std::vector<std::string> lines = db_.logger().LinesWith(refused.value);
    std::istringstream errors(::testing::internal::GetCapturedStderr());
    for (std::string line; std::getline(errors, line);) {
      lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 1u) << ::testing::PrintToString(lines);
    EXPECT_TRUE(Explains(lines[0], refused));
    EXPECT_NE(lines[0].find("no filters are built"), std::string::npos);
  }

  void MakeFilteredDatabase() {
    ASSERT_TRUE(db_.Open(OptionsWith("cassandra_bloom:10")).ok());
    ASSERT_NO_FATAL_FAILURE(db_.Fill());
    db_.Close();
  }

  const RefusedString refused_ = {"cassandra_bloom:abc", "'abc'", "0 to 100"};
  bool stderr_taken_ = false;
  TempDb db_;
};

TEST_F(UnvalidatedTest, CreateColumnFamily) {
  ASSERT_TRUE(db_.Open(OptionsWith("cassandra_bloom:10")).ok());
  TempDb::Handle family = nullptr;
  const Status status = db_.db()->CreateColumnFamily(OptionsWith(refused_.text),
                                                     "unfiltered", &family);
  if (!status.ok()) {
    // This RocksDB release already refuses the string here.
    EXPECT_TRUE(IsRefusal(status, refused_));
    return;
  }
  db_.Adopt(family);
  for (int file = 0; file < 3; ++file) {
    ASSERT_NO_FATAL_FAILURE(db_.Fill(family));
  }
  db_.ExpectFilled(family);
  EXPECT_EQ(db_.NumFiltered(), 0u);
  ASSERT_NO_FATAL_FAILURE(ExpectReportedOnce(refused_));

  // The OPTIONS file still contains the refused setting.
  std::vector<ColumnFamilyOptions> loaded;
  EXPECT_TRUE(IsRefusal(db_.OpenLatest(&loaded), refused_));
}

TEST_F(UnvalidatedTest, OpenForReadOnly) {
  ASSERT_NO_FATAL_FAILURE(MakeFilteredDatabase());
  OpenedDb db{};
  const Status status =
      DB::OpenForReadOnly(OptionsWith(refused_.text), db_.path(), &db);
  ASSERT_TRUE(status.ok()) << status.ToString();
  db_.Adopt(Own(std::move(db)));
  db_.ExpectFilled();
  EXPECT_GT(db_.NumFiltered(), 0u) << "existing filters must be used";
  ExpectReportedOnce(refused_);
}

TEST_F(UnvalidatedTest, OpenAsSecondary) {
  ASSERT_NO_FATAL_FAILURE(MakeFilteredDatabase());
  OpenedDb db{};
  const TempDir secondary;
  Options options = OptionsWith(refused_.text);
  options.max_open_files = -1;
  const Status status =
      DB::OpenAsSecondary(options, db_.path(), secondary.path(), &db);
  ASSERT_TRUE(status.ok()) << status.ToString();
  db_.Adopt(Own(std::move(db)));
  db_.ExpectFilled();
  EXPECT_GT(db_.NumFiltered(), 0u);
  ExpectReportedOnce(refused_);
  db_.Close();
}

TEST_F(UnvalidatedTest, SstFileWriter) {
  const TempDir folder;
  const std::string path = folder.path() + "/file.sst";
  SstFileWriter writer(EnvOptions(), OptionsWith(refused_.text));
  ASSERT_TRUE(writer.Open(path).ok());
  ASSERT_TRUE(writer.Put("key", "value").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ExpectReportedOnce(refused_);

  SstFileReader reader(OptionsWith("cassandra_bloom:10"));
  ASSERT_TRUE(reader.Open(path).ok());
  EXPECT_EQ(reader.GetTableProperties()->filter_size, 0u);
  const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> entries(
      reader.NewIterator(ReadOptions()));
  entries->SeekToFirst();
  ASSERT_TRUE(entries->Valid());
  EXPECT_EQ(entries->value(), "value");
}

TEST_F(UnvalidatedTest, WithoutALogItIsOnStderr) {
  const Options options = OptionsWith(refused_.text);
  EXPECT_EQ(BuildBlock(FilterPolicyOf(options)), "(no builder)");
  EXPECT_EQ(BuildBlock(FilterPolicyOf(options)), "(no builder)");
  ExpectReportedOnce(refused_);
}

}  // namespace
}  // namespace cassandra_bloom::testing
