// SPDX-License-Identifier: Apache-2.0

#include "tests/export/export_fixture.h"

#include <rocksdb/sst_file_writer.h>

#include <filesystem>
#include <stdexcept>

#include "plugin/export/export_folder.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

std::vector<uint64_t> CountsOf(const ListenerPtr& listener) {
  FilterDbExportCounts counts;
  EXPECT_TRUE(GetFilterDbExportCounts(*listener, &counts));
  return {counts.exported, counts.removed, counts.failed};
}

ListenerPtr NewListener(const std::string& out_dir) {
  std::string error;
  auto listener = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

LiveSsts LiveSstsOf(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  LiveSsts live;
  live.database = DatabaseOf(db->GetName());
  live.folders = {db->GetName()};
  for (const auto& file : files) {
    live.files[file.file_number] = file.db_path + file.name;
  }
  return live;
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

void ExportTest::ReplaceDatabase(const std::vector<ListenerPtr>& listeners) {
  db_.Close();
  fs::remove_all(db_.path());
  Open(listeners);
}

bool ExportTest::Sync(const ExportOptions& options) {
  error_.clear();
  return Reconcile(
      *PlanExport(options, &error_), out_.path(),
      [this] { return LiveSstsOf(db_.get()); }, &report_, &error_);
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

void ExportTest::ExpectFilters(size_t count) {
  EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
  EXPECT_EQ(Filters().size(), count);
  ExportOptions dry_run;
  dry_run.dry_run = true;
  EXPECT_TRUE(Sync(dry_run)) << error_;
  EXPECT_EQ(report_.kept.size(), count);
}

}  // namespace cassandra_bloom::testing
