// SPDX-License-Identifier: Apache-2.0

#include "tests/export/export_fixture.h"

#include <fcntl.h>
#include <rocksdb/sst_file_writer.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "plugin/export/export_names.h"
#include "plugin/export/listener.h"
#include "plugin/export/reconcile.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

FilterDbExportCounts CountsOf(const ListenerPtr& listener) {
  FilterDbExportCounts counts;
  EXPECT_TRUE(GetFilterDbExportCounts(*listener, &counts));
  return counts;
}

ListenerPtr NewListener(const std::string& out_dir) {
  std::string error;
  auto listener = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

Names LiveFilterNames(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  Names names;
  for (const auto& file : files) {
    names.insert(FilterDbName("nb", file.file_number));
  }
  return names;
}

bool Follows(const std::string& folder, const TestDb& db) {
  const std::string mark = folder + "/" + kMark;
  const Names names = LiveFilterNames(db);
  if (!fs::exists(mark) || NamesIn(folder) != names) {
    return false;
  }
  // Checks the records, too, because an export records a filter only after
  // the filter has its final name.
  const std::string recorded = ReadFile(mark);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return recorded.find("\n" + name + "\t") != std::string::npos;
  });
}

bool Eventually(const std::function<bool()>& is_so) {
  for (int i = 0; i < 3000; ++i) {
    if (is_so()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void ExportTest::AddFiles(int count) {
  for (int i = 0; i < count; ++i, next_ += 1000) {
    AddFile(&db_, next_, next_ + 1000);
  }
}

void ExportTest::IngestFile() {
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_.options());
  Require(writer.Open(dir / "new.sst"));
  for (const auto& row : NumberedRows(0, 1000)) {
    Require(writer.Put(row.first, row.second));
  }
  Require(writer.Finish());
  Require(db_->IngestExternalFile({dir / "new.sst"},
                                  rocksdb::IngestExternalFileOptions()));
}

void ExportTest::MoveToLevel(int level) {
  rocksdb::CompactRangeOptions move;
  move.change_level = true;
  move.target_level = level;
  Require(db_->CompactRange(move, nullptr, nullptr));
}

rocksdb::ColumnFamilyHandle* ExportTest::AddColumnFamily(
    const std::string& name, const rocksdb::ColumnFamilyOptions& options,
    const Rows& rows) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require(db_->CreateColumnFamily(options, name, &family));
  for (const auto& row : rows) {
    Require(db_->Put(kWrite, family, row.first, row.second));
  }
  Require(db_->Flush(rocksdb::FlushOptions(), family));
  return family;
}

void ExportTest::MakeTwoHistories() {
  AddFile(&db_, 0, 1000);
  db_.Close();
  fs::copy(db_.path(), other_history_ / "db", fs::copy_options::recursive);
  db_.Reopen();
  AddFile(&db_, 1000, 2000);
  const Names names = Live();
  SwapHistories();
  AddFile(&db_, 3000, 4000);
  EXPECT_EQ(Live(), names) << "the SST files have other numbers";
}

void ExportTest::SwapHistories() {
  db_.Close();
  fs::rename(db_.path(), other_history_ / "away");
  fs::rename(other_history_ / "db", db_.path());
  fs::rename(other_history_ / "away", other_history_ / "db");
  db_.Reopen();
}

bool ExportTest::Sync(const ExportOptions& options) {
  error_.clear();
  std::set<std::string> unreadable;
  const ListSsts list = [this](LiveSsts* live, std::string*) {
    *live = LiveSstsOf(db_.get());
    return true;
  };
  return cassandra_bloom::Reconcile(*PlanExport(options, &error_), out_.path(),
                                    list, NeverStop, &unreadable, &report_,
                                    &error_);
}

bool ExportTest::Reconcile() {
  return ReconcileFilterDbExports(db_.get(), out_.path(), "nb", &report_,
                                  &error_);
}

void ExportTest::Open(const std::vector<ListenerPtr>& listeners) {
  rocksdb::Options options = db_.options();
  options.listeners = listeners;
  db_.Reopen(options);
}

void ExportTest::Listen() {
  listener_ = NewListener(out_.path());
  Open({listener_});
}

void ExportTest::ExpectFollowed() {
  EXPECT_TRUE(Eventually([&] { return Follows(out_.path(), db_); }))
      << ::testing::PrintToString(Filters()) << " and live "
      << ::testing::PrintToString(Live());
  EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
}

std::unique_ptr<FileDescriptor> ExportTest::LockFolder() const {
  auto folder = std::make_unique<FileDescriptor>(
      open(out_.path().c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(flock(folder->get(), LOCK_EX), 0);
  return folder;
}

}  // namespace cassandra_bloom::testing
