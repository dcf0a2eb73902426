// SPDX-License-Identifier: Apache-2.0

#include "tests/export/export_fixture.h"

#include <fcntl.h>
#include <rocksdb/sst_file_writer.h>
#include <sys/file.h>

#include <stdexcept>

#include "plugin/export/listener.h"
#include "plugin/export/reconcile.h"

namespace cassandra_bloom::testing {

FilterDbExportCounts CountsOf(const ListenerPtr& listener) {
  FilterDbExportCounts counts;
  EXPECT_TRUE(GetFilterDbExportCounts(*listener, &counts));
  return counts;
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
