// SPDX-License-Identifier: Apache-2.0

// Tests a refused string on routes where RocksDB does not validate the string.
// The string must be reported once, and no filters may be built.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::SstFileWriter;

const RefusedString kRefusedString = {"cassandra_bloom:abc", "'abc'",
                                      "from 0 to 100"};

Options OptionsOf(const std::string& text) {
  return DbOptions(PolicyFrom(text));
}

// Keeps the lines about the refused string. RocksDB writes many others.
class ReportLogger final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[4096];
    std::vsnprintf(line, sizeof(line), format, arguments);
    if (std::string(line).find(kRefusedString.value) != std::string::npos) {
      lines += std::string(line) + "\n";
    }
  }

  std::string lines;
};

// Expects that `work` reports the refused string once, in LOG and stderr
// together.
void ExpectReportedOnce(const std::function<void(Options)>& work) {
  const auto logger = std::make_shared<ReportLogger>();
  Options options = OptionsOf(kRefusedString.text);
  options.info_log = logger;
  ::testing::internal::CaptureStderr();
  work(options);
  const std::string lines =
      logger->lines + ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines.find('\n'), lines.size() - 1) << lines;
  EXPECT_TRUE(Explains(lines, kRefusedString));
  EXPECT_NE(lines.find("no filters are built"), std::string::npos);
}

TEST(UnvalidatedTest, CreateColumnFamily) {
  const Dataset dataset = NumberedDataset(100, 100);
  ExpectReportedOnce([&](Options refused) {
    Options options = OptionsOf("cassandra_bloom:10");
    options.info_log = refused.info_log;
    TestDb db(options);
    rocksdb::ColumnFamilyHandle* family = nullptr;
    Require(db->CreateColumnFamily(refused, "unfiltered", &family));
    for (int file = 0; file < 3; ++file) {
      for (const auto& [key, value] : dataset.rows) {
        Require(db->Put({}, family, key, value));
      }
      Require(db->Flush({}, family));
    }
    EXPECT_TRUE(GetsMatch({db.get(), family}, dataset));
    EXPECT_EQ(db.ReadsFiltered(), 0u);
    Require(db->DestroyColumnFamilyHandle(family));
  });
}

TEST(UnvalidatedTest, OpenForReadOnlyAndAsSecondary) {
  const Dataset dataset = NumberedDataset(100, 100);
  TestDb db(OptionsOf("cassandra_bloom:10"), dataset.rows);
  db.Close();
  for (const bool as_secondary : {false, true}) {
    SCOPED_TRACE(as_secondary);
    ExpectReportedOnce([&](Options options) {
      const TempDir secondary;
      OpenedDb opened{};
      options.max_open_files = -1;  // A secondary requires this.
      Require(as_secondary ? DB::OpenAsSecondary(options, db.path(),
                                                 secondary.path(), &opened)
                           : DB::OpenForReadOnly(options, db.path(), &opened));
      const std::unique_ptr<DB> reader = Own(std::move(opened));
      EXPECT_TRUE(
          GetsMatch({reader.get(), reader->DefaultColumnFamily()}, dataset));
      EXPECT_GT(
          options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL), 0u)
          << "existing filters must be used";
    });
  }
}

TEST(UnvalidatedTest, SstFileWriter) {
  const TempDir folder;
  const std::string path = folder / "file.sst";
  ExpectReportedOnce([&](const Options& options) {
    SstFileWriter writer(rocksdb::EnvOptions(), options);
    Require(writer.Open(path));
    Require(writer.Put("key", "value"));
    Require(writer.Finish());
  });
  rocksdb::SstFileReader reader(OptionsOf("cassandra_bloom:10"));
  Require(reader.Open(path));
  EXPECT_EQ(reader.GetTableProperties()->filter_size, 0u);
}

}  // namespace
}  // namespace cassandra_bloom::testing
