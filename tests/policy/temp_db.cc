// SPDX-License-Identifier: Apache-2.0

#include "tests/policy/temp_db.h"

#include <rocksdb/statistics.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdio>

#include "tests/support/rocksdb/opened_db.h"

namespace cassandra_bloom::testing {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;

namespace {

constexpr int kNumKeys = 100;

std::string Key(int i) { return "key" + std::to_string(1000 + i); }

}  // namespace

void LineLogger::Logv(const char* format, va_list arguments) {
  char line[4096];
  std::vsnprintf(line, sizeof(line), format, arguments);
  const std::lock_guard<std::mutex> lock(mutex_);
  lines_.push_back(line);
}

std::vector<std::string> LineLogger::LinesWith(const std::string& text) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> found;
  for (const std::string& line : lines_) {
    if (line.find(text) != std::string::npos) {
      found.push_back(line);
    }
  }
  return found;
}

TempDb::TempDb()
    : logger_(std::make_shared<LineLogger>()),
      statistics_(ROCKSDB_NAMESPACE::CreateDBStatistics()) {}

TempDb::~TempDb() { Close(); }

Options TempDb::options() const {
  Options options;
  options.create_if_missing = true;
  options.info_log = logger_;
  options.statistics = statistics_;
  return options;
}

Status TempDb::Open(const Options& options) {
  Close();
  OpenedDb db{};
  const Status status = DB::Open(options, path(), &db);
  db_ = Own(std::move(db));
  return status;
}

Status TempDb::OpenLatest(std::vector<ColumnFamilyOptions>* cf_options) {
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  Status status = ROCKSDB_NAMESPACE::LoadLatestOptions(ConfigOptions(), path(),
                                                       &db_options, &families);
  if (!status.ok()) {
    return status;
  }
  db_options.info_log = logger_;
  db_options.statistics = statistics_;
  cf_options->clear();
  for (const ColumnFamilyDescriptor& family : families) {
    cf_options->push_back(family.options);
  }
  OpenedDb db{};
  status = DB::Open(db_options, path(), families, &handles_, &db);
  db_ = Own(std::move(db));
  return status;
}

void TempDb::Close() {
  for (const Handle handle : handles_) {
    EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  }
  handles_.clear();
  db_.reset();
}

void TempDb::Fill(Handle family) {
  family = family == nullptr ? db_->DefaultColumnFamily() : family;
  for (int i = 0; i < kNumKeys; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), family, Key(i), "value").ok());
  }
  ASSERT_TRUE(db_->Flush(FlushOptions(), family).ok());
}

void TempDb::ExpectFilled(Handle family) {
  family = family == nullptr ? db_->DefaultColumnFamily() : family;
  for (int i = 0; i < kNumKeys; ++i) {
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), family, Key(i), &value).ok()) << i;
    EXPECT_TRUE(
        db_->Get(ReadOptions(), family, Key(i) + "x", &value).IsNotFound());
  }
}

uint64_t TempDb::NumFiltered() const {
  return statistics_->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL);
}

}  // namespace cassandra_bloom::testing
