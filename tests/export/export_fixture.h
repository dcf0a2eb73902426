// SPDX-License-Identifier: Apache-2.0

// A database, and a folder for its exported filters.

#ifndef CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_
#define CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_writer.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_folder.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tools/export/reconcile.h"

namespace cassandra_bloom::testing {

using ::testing::HasSubstr;
using Names = std::set<std::string>;
using Counts = std::vector<uint64_t>;
using ListenerPtr = std::shared_ptr<rocksdb::EventListener>;

inline const rocksdb::WriteOptions kWrite;

// Returns the default options, but for one.
template <typename Field, typename Value>
ExportOptions With(Field ExportOptions::*field, const Value& value) {
  ExportOptions options;
  options.*field = value;
  return options;
}

// Writes the rows into an SST file, and ingests it.
inline void Ingest(rocksdb::DB* db, const rocksdb::Options& options,
                   const Rows& rows) {
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Require(writer.Open(dir / "new.sst"));
  for (const auto& row : rows) {
    Require(writer.Put(row.first, row.second));
  }
  Require(writer.Finish());
  Require(db->IngestExternalFile({dir / "new.sst"},
                                 rocksdb::IngestExternalFileOptions()));
}

// Returns the numbers of filters that the listener has exported and removed,
// and of its failures.
inline Counts CountsOf(const ListenerPtr& listener) {
  FilterDbExportCounts counts;
  EXPECT_TRUE(GetFilterDbExportCounts(*listener, &counts));
  return {counts.exported, counts.removed, counts.failed};
}

inline ListenerPtr NewListener(const std::string& out_dir) {
  std::string error;
  auto listener = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

inline LiveSsts LiveSstsOf(rocksdb::DB* db) {
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

// A program's own, which sst_filters does not know.
class OwnComparator final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "OwnComparator"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() : db_(DbOptions(OurPolicy())) {}

  void AddFiles(int count) {
    for (int i = 0; i < count; ++i, next_ += 1000) {
      AddFile(&db_, next_, next_ + 1000);
    }
  }

  void IngestFile() { Ingest(db_.get(), db_.options(), NumberedRows(0, 1000)); }

  void MoveToLevel(int level) {
    rocksdb::CompactRangeOptions move;
    move.change_level = true;
    move.target_level = level;
    Require(db_->CompactRange(move, nullptr, nullptr));
  }

  rocksdb::ColumnFamilyHandle* AddColumnFamily(
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

  // Replaces the database by an empty one, whose SST files will have the same
  // numbers.
  void ReplaceDatabase(const std::vector<ListenerPtr>& listeners = {}) {
    db_.Close();
    std::filesystem::remove_all(db_.path());
    Open(listeners);
  }

  bool Sync(const ExportOptions& options = {}) {
    error_.clear();
    return Reconcile(
        *PlanExport(options, &error_), out_.path(),
        [this] { return LiveSstsOf(db_.get()); }, &report_, &error_);
  }

  void Open(const std::vector<ListenerPtr>& listeners) {
    rocksdb::Options options = db_.options();
    options.listeners = listeners;
    db_.Reopen(options);
  }

  // Reopens the database with a listener that exports into the folder.
  void Listen() {
    listener_ = NewListener(out_.path());
    Open({listener_});
  }

  // Expects that the folder has exactly the filters of the live SST files, that
  // an export would keep them, and that there are so many.
  void ExpectFilters(size_t count) {
    EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
    EXPECT_EQ(Filters().size(), count);
    EXPECT_TRUE(Sync(With(&ExportOptions::dry_run, true))) << error_;
    EXPECT_EQ(report_.kept.size(), count);
  }

  Names Filters() const { return NamesIn(out_.path()); }
  std::string OneFilter() const { return out_ / *Filters().begin(); }

  const TempDir out_;
  TestDb db_;
  ListenerPtr listener_;
  uint32_t next_ = 0;
  ExportReport report_;
  std::string error_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_EXPORT_EXPORT_FIXTURE_H_
