// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/convenience.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/export/export_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

std::vector<rocksdb::LiveFileMetaData> LiveFiles(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files;
}

class DatabaseExporterTest : public ExportTest {};

TEST_F(DatabaseExporterTest, EveryLiveFile) {
  AddFiles(3);
  ASSERT_TRUE(Export()) << error_;
  EXPECT_EQ(Filters(), Live());
  EXPECT_EQ(report_.exported.size(), 3);
  Names contents;
  for (const ExportedFilterDb& exported : report_.exported) {
    EXPECT_TRUE(exported.from_block);
    EXPECT_TRUE(fs::exists(exported.sst_file));
    contents.insert(ReadFile(exported.filter_db));
  }
  EXPECT_EQ(contents, (Names{Built(KeysOf(NumberedRows(0, 1000)), "nb"),
                             Built(KeysOf(NumberedRows(1000, 2000)), "nb"),
                             Built(KeysOf(NumberedRows(2000, 3000)), "nb")}));
  // The second export must fail, because the files of the first export exist.
  EXPECT_FALSE(Export());
  EXPECT_THAT(error_, HasSubstr("3 SST files were not exported"));
  ASSERT_EQ(report_.errors.size(), 3);
  EXPECT_THAT(report_.errors[0], HasSubstr("will not be overwritten"));
}

TEST_F(DatabaseExporterTest, ChangesNothingInTheDatabase) {
  AddFiles(3);
  // These rows are only in the write-ahead log.
  db_.Put(NumberedRows(next_, next_ + 1000));
  // RocksDB removes this file when it opens a database. An export must not
  // remove the file.
  WriteFile(db_.path() + "/000999.sst.trash", "trash");
  // RocksDB must not remove an old log between the two calls of StateOf.
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  const auto before = StateOf(db_.path());
  ASSERT_TRUE(Export()) << error_;
  EXPECT_EQ(StateOf(db_.path()), before) << "while it is in use";
  EXPECT_EQ(report_.exported.size(), 3);

  db_.Close();
  const auto closed = StateOf(db_.path());
  FilterDbExportOptions options;
  options.from = ExportFrom::kKeys;
  options.overwrite = true;
  ASSERT_TRUE(Export(options)) << error_;
  EXPECT_EQ(StateOf(db_.path()), closed);
  ASSERT_TRUE(Sync(options)) << error_;
  EXPECT_EQ(StateOf(db_.path()), closed);

  // RocksDB itself must remove the file when it opens the database.
  db_.Reopen(db_.options());
  EXPECT_FALSE(fs::exists(db_.path() + "/000999.sst.trash"));
}

TEST_F(DatabaseExporterTest, ADatabaseThatCannotBeWrittenTo) {
  AddFiles(1);
  db_.Close();
  fs::permissions(db_.path(), fs::perms::owner_write, fs::perm_options::remove);
  EXPECT_TRUE(Export()) << error_;
  fs::permissions(db_.path(), fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(DatabaseExporterTest, SyncFollowsTheDatabase) {
  AddFiles(3);
  // These files do not belong to the export, although their names look similar.
  const Names others = {"nb-1000000-big-Data.db.old", "nb-0001-big-Filter.db",
                        "me-7-big-Filter.db",         "nb-x-big-Filter.db",
                        "nb-8-bti-Filter.db",         "notes",
                        "nb-9-big-Filter.db.bak",     "nb--1-big-Filter.db",
                        "xnb-8-big-Filter.db",        "nb-8-big-Filter.db.tmp"};
  for (const std::string& name : others) {
    WriteFile(out_ / name, "other");
  }
  const auto with_others = [&](Names names) {
    names.insert(others.begin(), others.end());
    return names;
  };
  WriteFile(out_ / FilterName(1000000), "of another time");
  // A killed export leaves temporary files with names like these two.
  WriteFile(out_ / FilterName(8) + ".cassandra_bloom-01234567", "half");
  WriteFile(out_ / ".cassandra_bloom_database.cassandra_bloom-01234567",
            "half");

  ASSERT_TRUE(TakeOver()) << error_;
  EXPECT_EQ(Filters(), with_others(Live()));
  EXPECT_EQ(report_.exported.size(), 3);
  EXPECT_EQ(report_.kept.size(), 0);
  EXPECT_EQ(report_.removed.size(), 1);

  AddFiles(1);
  const auto before = StateOf(out_.path());
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(report_.kept.size(), 3);
  EXPECT_EQ(report_.removed.size(), 0);
  const auto after = StateOf(out_.path());
  for (const auto& [path, state] : before) {
    if (path != out_ / kMark) {
      EXPECT_EQ(after.at(path), state) << path;
    }
  }

  db_.Compact();
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), with_others(Live()));
  EXPECT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(report_.removed.size(), 4);
  EXPECT_EQ(ReadFile(report_.exported[0].filter_db),
            Built(KeysOf(NumberedRows(0, next_)), "nb"));
}

TEST_F(DatabaseExporterTest, SyncReplacesWhatIsDamagedOrOld) {
  AddFiles(2);
  ASSERT_TRUE(Sync()) << error_;
  const std::string damaged = report_.exported[0].filter_db;
  const std::string old = report_.exported[1].filter_db;
  const std::string whole = ReadFile(damaged);
  WriteFile(damaged, whole.substr(0, whole.size() / 2));
  fs::last_write_time(old,
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
  EXPECT_EQ(ReadFile(damaged), whole);
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
  FilterDbExportOptions options;
  options.overwrite = true;
  ASSERT_TRUE(Sync(options)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
}

// If a changed SST file cannot be exported, its old filter must be removed. A
// filter of other keys would be worse than no filter.
TEST_F(DatabaseExporterTest, SyncLeavesNoOldFilterOfAFileThatItCannotExport) {
  AddFiles(2);
  ASSERT_TRUE(Sync()) << error_;
  const ExportedFilterDb exported = report_.exported[0];
  db_.Close();
  WriteFile(exported.sst_file, "no SST file");
  EXPECT_FALSE(Sync());
  EXPECT_EQ(report_.errors.size(), 1);
  EXPECT_EQ(report_.kept.size(), 1);
  EXPECT_FALSE(fs::exists(exported.filter_db));
}

TEST_F(DatabaseExporterTest, SyncOfAnEmptyDatabase) {
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), Names());
}

TEST_F(DatabaseExporterTest, ColumnFamilies) {
  rocksdb::ColumnFamilyOptions with_prefixes(db_.options());
  with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  AddFiles(1);
  const Rows rows = NumberedRows(5000, 6000);
  rocksdb::ColumnFamilyHandle* const other =
      AddColumnFamily("other", with_prefixes, rows);

  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), Live());
  EXPECT_EQ(report_.exported.size(), 2);

  ASSERT_TRUE(Sync({}, "default")) << error_;
  EXPECT_EQ(report_.kept.size(), 1);
  EXPECT_EQ(report_.removed.size(), 1);

  FilterDbExportOptions prefixes;
  prefixes.prefixes = true;
  prefixes.overwrite = true;
  ASSERT_TRUE(Sync(prefixes, "other")) << error_;
  EXPECT_EQ(report_.removed.size(), 1);
  ASSERT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(
      ReadFile(report_.exported[0].filter_db),
      Built(PrefixesOf(KeysOf(rows), *with_prefixes.prefix_extractor), "nb"));

  EXPECT_FALSE(Sync(prefixes, "default"));
  ASSERT_EQ(report_.errors.size(), 1);
  EXPECT_THAT(report_.errors[0],
              HasSubstr("column family 'default' has no prefix extractor"));
  EXPECT_FALSE(Sync({}, "none"));
  EXPECT_THAT(error_, HasSubstr("has no column family 'none'; it has 'default' "
                                "'other'"));
  Require(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(DatabaseExporterTest, SeveralPathsAndLevels) {
  const TempDir second;
  rocksdb::Options options = db_.options();
  options.db_paths = {{db_.path(), 1}, {second.path(), uint64_t{1} << 40}};
  options.num_levels = 9;
  db_.Reopen(options);
  AddFiles(3);
  rocksdb::CompactRangeOptions compact;
  compact.change_level = true;
  compact.target_level = 8;
  compact.target_path_id = 1;
  Require(db_->CompactRange(compact, nullptr, nullptr));
  ASSERT_EQ(LiveFiles(db_).size(), 1);
  ASSERT_EQ(LiveFiles(db_)[0].level, 8);
  ASSERT_EQ(LiveFiles(db_)[0].db_path, second.path());
  EXPECT_FALSE(Export());
  ASSERT_EQ(report_.errors.size(), 1);
  EXPECT_THAT(report_.errors[0], HasSubstr("in another folder"));
  EXPECT_THAT(report_.errors[0], HasSubstr("(--db-path)"));

  FilterDbExportOptions with_paths;
  with_paths.db_paths = {second.path()};
  EXPECT_TRUE(Sync(with_paths)) << error_;
  EXPECT_EQ(Filters(), Live());
  ExpectFiltersAreTheirs(db_, out_.path());
  with_paths.db_paths = {second / "none"};
  EXPECT_FALSE(Sync(with_paths));
  EXPECT_THAT(error_, HasSubstr("/none: is not a folder"));
  EXPECT_EQ(Filters(), Live());

  ExportedFilterDb exported;
  EXPECT_TRUE(ExportFilterDb(second.path() + LiveFiles(db_)[0].name,
                             out_ / "file", {}, &exported, &error_))
      << error_;
  EXPECT_EQ(ReadFile(out_ / "file"),
            Built(KeysOf(NumberedRows(0, next_)), "nb"));
}

TEST_F(DatabaseExporterTest, IngestedFile) {
  IngestFile();
  ASSERT_TRUE(Export()) << error_;
  ASSERT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(ReadFile(report_.exported[0].filter_db),
            Built(KeysOf(NumberedRows(0, 1000)), "nb"));
}

TEST_F(DatabaseExporterTest, WhileItIsWrittenTo) {
  std::atomic<bool> stop{false};
  AddFiles(2);
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      AddFiles(1);
      if (i % 4 == 3) {
        db_.Compact();
      }
    }
  });
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(Sync()) << error_ << report_.errors.size();
  }
  stop = true;
  writer.join();
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), Live());
}

TEST_F(DatabaseExporterTest, AMissingFileStopsNoOther) {
  AddFiles(3);
  db_.Close();
  RemoveSstFiles(1);
  EXPECT_FALSE(Sync());
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  EXPECT_EQ(report_.exported.size(), 2);
  ASSERT_EQ(report_.errors.size(), 1);
  EXPECT_THAT(report_.errors[0],
              HasSubstr("missing, though the MANIFEST names it"));
}

TEST_F(DatabaseExporterTest, Refusals) {
  AddFiles(1);
  const TempDir empty;
  WriteFile(empty / "file", "");
  struct Refusal {
    std::string db;
    std::string out;
    std::string version;
    const char* message;
  };
  const Refusal refusals[] = {
      {db_.path(), "", "nb", "has no name"},
      {db_.path(), db_.path(), "nb", "is in the folder of a database"},
      {db_.path(), db_.path() + "/out", "nb", "is in the folder of a database"},
      {db_.path(), empty / "file", "nb", "is no folder, and cannot be created"},
      {db_.path(), empty / "no/out", "nb", "cannot be created"},
      {db_.path(), out_.path(), "na-and-later", "need an SSTable version"},
      {db_.path(), out_.path(), "../nb", "is unknown"},
      {empty.path(), out_.path(), "nb", "cannot be opened as a RocksDB"},
      {empty / "none", out_.path(), "nb", "cannot be opened as a RocksDB"},
      {empty / "file", out_.path(), "nb", "cannot be opened as a RocksDB"},
      {"", out_.path(), "nb", "cannot be opened as a RocksDB"},
  };
  db_.Close();  // An open database might remove a log.
  const auto before = StateOf(db_.path());
  for (const Refusal& refusal : refusals) {
    FilterDbExportOptions options;
    options.sstable_version = refusal.version;
    EXPECT_FALSE(ExportFilterDbs(refusal.db, "", refusal.out, /*sync=*/true,
                                 options, &report_, &error_));
    EXPECT_THAT(error_, HasSubstr(refusal.message));
  }
  EXPECT_EQ(StateOf(db_.path()), before);
  EXPECT_EQ(Filters(), Names());
  EXPECT_EQ(NamesIn(empty.path()), Names{"file"});
}

}  // namespace
}  // namespace cassandra_bloom::testing
