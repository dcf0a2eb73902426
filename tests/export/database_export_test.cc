// SPDX-License-Identifier: Apache-2.0

// Exports all live SST files of a database as Filter.db files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/special_files.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const rocksdb::WriteOptions kWrite;

// The name of the Filter.db of the SST file with this number.
std::string NameOf(uint64_t number) {
  return "nb-" + std::to_string(number) + "-big-Filter.db";
}

std::vector<rocksdb::LiveFileMetaData> LiveFiles(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files;
}

class DatabaseExportTest : public ::testing::Test {
 protected:
  DatabaseExportTest() : db_(DbOptions(OurPolicy())) {}

  // Writes and flushes `count` files.
  void AddFiles(int count) {
    for (int i = 0; i < count; ++i) {
      db_.Put(NumberedRows(next_, next_ + 1000));
      db_.Flush();
      next_ += 1000;
    }
  }

  bool Export(bool sync = false, const std::string& column_family = "",
              const FilterDbExportOptions& options = {}) {
    error_.clear();
    return ExportFilterDbs(db_.path(), column_family, out_.path(), sync,
                           options, &report_, &error_);
  }

  TestDb db_;
  const TempDir out_;
  uint32_t next_ = 0;
  FilterDbExportReport report_;
  std::string error_;
};

TEST_F(DatabaseExportTest, EveryLiveFile) {
  AddFiles(3);
  ASSERT_TRUE(Export()) << error_;
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
  EXPECT_EQ(report_.exported.size(), 3);
  std::set<std::string> contents;
  for (const ExportedFilterDb& exported : report_.exported) {
    EXPECT_TRUE(exported.from_block);
    EXPECT_TRUE(fs::exists(exported.sst_file));
    contents.insert(ReadFile(exported.filter_db));
  }
  EXPECT_EQ(contents, (std::set<std::string>{
                          Built(KeysOf(NumberedRows(0, 1000)), "nb"),
                          Built(KeysOf(NumberedRows(1000, 2000)), "nb"),
                          Built(KeysOf(NumberedRows(2000, 3000)), "nb")}));
  // The second export fails, because the files of the first one exist.
  EXPECT_FALSE(Export());
  EXPECT_THAT(error_, HasSubstr("3 SST files were not exported"));
  ASSERT_EQ(report_.errors.size(), 3);
  EXPECT_THAT(report_.errors[0], HasSubstr("will not be overwritten"));
}

TEST_F(DatabaseExportTest, ChangesNothingInTheDatabase) {
  AddFiles(3);
  // These rows are only in the write-ahead log.
  db_.Put(NumberedRows(next_, next_ + 1000));
  // RocksDB removes a file of this name when it opens a database; 7.8 does so
  // even when it opens a database for reading only. An export must not remove
  // it.
  WriteFile(db_.path() + "/000999.sst.trash", "trash");
  // Otherwise RocksDB might remove an old log while the states are compared.
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
  ASSERT_TRUE(Export(/*sync=*/false, "", options)) << error_;
  EXPECT_EQ(StateOf(db_.path()), closed);
  ASSERT_TRUE(Export(/*sync=*/true, "", options)) << error_;
  EXPECT_EQ(StateOf(db_.path()), closed);

  // An ordinary open removes the trash file.
  db_.Reopen(db_.options());
  EXPECT_FALSE(fs::exists(db_.path() + "/000999.sst.trash"));
}

TEST_F(DatabaseExportTest, ADatabaseThatCannotBeWrittenTo) {
  AddFiles(1);
  db_.Close();
  fs::permissions(db_.path(), fs::perms::owner_write, fs::perm_options::remove);
  EXPECT_TRUE(Export()) << error_;
  fs::permissions(db_.path(), fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(DatabaseExportTest, SyncFollowsTheDatabase) {
  AddFiles(3);
  // These files do not belong to the export, although their names look similar.
  const std::set<std::string> others = {
      "nb-1000000-big-Data.db.old", "nb-0001-big-Filter.db",
      "me-7-big-Filter.db",         "nb-x-big-Filter.db",
      "nb-8-bti-Filter.db",         "notes",
      "nb-9-big-Filter.db.bak",     "nb--1-big-Filter.db",
      "xnb-8-big-Filter.db",        "nb-8-big-Filter.db.tmp"};
  for (const std::string& name : others) {
    WriteFile(out_ / name, "other");
  }
  const auto with_others = [&](std::set<std::string> names) {
    names.insert(others.begin(), others.end());
    return names;
  };
  WriteFile(out_ / NameOf(1000000), "of another time");
  // Killed exports leave such files.
  WriteFile(out_ / NameOf(8) + ".cassandra_bloom-01234567", "half");
  WriteFile(out_ / ".cassandra_bloom_database.cassandra_bloom-01234567",
            "half");

  FilterDbExportOptions take_over;
  take_over.overwrite = true;
  ASSERT_TRUE(Export(/*sync=*/true, "", take_over)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), with_others(LiveFilterNames(db_)));
  EXPECT_EQ(report_.exported.size(), 3);
  EXPECT_EQ(report_.kept.size(), 0);
  EXPECT_EQ(report_.removed.size(), 1);

  AddFiles(1);
  const auto before = StateOf(out_.path());
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(report_.kept.size(), 3);
  EXPECT_EQ(report_.removed.size(), 0);
  const auto after = StateOf(out_.path());
  for (const auto& [path, state] : before) {
    if (path != out_ / ".cassandra_bloom_database") {
      EXPECT_EQ(after.at(path), state) << path;
    }
  }

  db_.Compact();
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), with_others(LiveFilterNames(db_)));
  EXPECT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(report_.removed.size(), 4);
  EXPECT_EQ(ReadFile(report_.exported[0].filter_db),
            Built(KeysOf(NumberedRows(0, next_)), "nb"));
}

// Nobody has recorded that these filters are those of an export. They may be of
// another database, or made by hand.
TEST_F(DatabaseExportTest, SyncRefusesFiltersThatItDidNotMake) {
  AddFiles(2);
  const std::string live = *LiveFilterNames(db_).begin();
  for (const std::string& name : {live, NameOf(1000000)}) {
    WriteFile(out_ / name, "made by hand");
    const auto before = StateOf(out_.path());
    EXPECT_FALSE(Export(/*sync=*/true));
    EXPECT_EQ(error_,
              out_.path() +
                  ": has filters that no export recorded as its own, such as " +
                  name +
                  ", and making the folder follow a database would remove or "
                  "replace them; choose another folder, or take this one over "
                  "(filterdb export --sync --force)");
    EXPECT_EQ(StateOf(out_.path()), before);
    fs::remove(out_ / name);
  }
  // What an export without `sync` has written is not recorded, either.
  ASSERT_TRUE(Export()) << error_;
  EXPECT_FALSE(Export(/*sync=*/true));
  WriteFile(out_ / NameOf(1000000), "made by hand");
  WriteFile(out_ / live, "made by hand");
  FilterDbExportOptions take_over;
  take_over.overwrite = true;
  ASSERT_TRUE(Export(/*sync=*/true, "", take_over)) << error_;
  EXPECT_EQ(report_.removed, std::vector<std::string>{out_ / NameOf(1000000)});
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
  ExpectFiltersAreTheirs(db_, out_.path());
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(report_.kept.size(), 2u);
}

// The folder follows the database, but only with filters of another version.
TEST_F(DatabaseExportTest, SyncRefusesFiltersOfAVersionThatIsNotRecorded) {
  AddFiles(1);
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  WriteFile(out_ / "me-7-big-Filter.db", "made by hand");
  const auto before = StateOf(out_.path());
  FilterDbExportOptions me;
  me.sstable_version = "me";
  EXPECT_FALSE(Export(/*sync=*/true, "", me));
  EXPECT_THAT(error_, HasSubstr("such as me-7-big-Filter.db, and"));
  EXPECT_EQ(StateOf(out_.path()), before);
}

// A link with the name of a filter is not the export's own file: the export
// neither writes through it nor removes it.
TEST_F(DatabaseExportTest, SyncGoesThroughNoLink) {
  AddFiles(2);
  const std::string linked = out_ / *LiveFilterNames(db_).begin();
  const TempDir elsewhere;
  WriteFile(elsewhere / "precious", "precious");
  fs::create_symlink(elsewhere / "precious", linked);
  fs::create_symlink(elsewhere / "precious", out_ / NameOf(1000000));
  for (const bool overwrite : {false, true}) {
    FilterDbExportOptions options;
    options.overwrite = overwrite;
    EXPECT_FALSE(Export(/*sync=*/true, "", options));
    const char* const why =
        ": is a symbolic link, none of the export's own files, and is left "
        "alone; remove it, or choose another folder";
    EXPECT_EQ(report_.errors, std::vector<std::string>{linked + why});
    EXPECT_EQ(error_, out_ / NameOf(1000000) + why);
    // The other SST file gets its filter nevertheless.
    EXPECT_EQ(report_.exported.size() + report_.kept.size(), 1u);
    EXPECT_EQ(report_.removed, std::vector<std::string>());
    EXPECT_EQ(TypeOf(linked), mode_t{S_IFLNK});
    EXPECT_EQ(TypeOf(out_ / NameOf(1000000)), mode_t{S_IFLNK});
    EXPECT_EQ(ReadFile(elsewhere / "precious"), "precious");
    EXPECT_EQ(NamesIn(elsewhere.path()), std::set<std::string>{"precious"});
  }
  fs::remove(linked);
  fs::remove(out_ / NameOf(1000000));
  EXPECT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
}

TEST_F(DatabaseExportTest, SyncKeepsNoLinkToAFilter) {
  AddFiles(1);
  ASSERT_TRUE(Export()) << error_;
  const TempDir elsewhere;
  const std::string name = *LiveFilterNames(db_).begin();
  fs::rename(out_ / name, elsewhere / name);
  fs::create_symlink(elsewhere / name, out_ / name);
  EXPECT_FALSE(Export(/*sync=*/true));
  EXPECT_EQ(report_.kept, std::vector<std::string>());
  EXPECT_EQ(report_.errors.size(), 1u);
}

TEST_F(DatabaseExportTest, SyncMarksTheFolderThroughNoLink) {
  AddFiles(1);
  const TempDir elsewhere;
  const std::string mark = out_ / ".cassandra_bloom_database";
  fs::create_symlink(elsewhere / "mark", mark);
  EXPECT_FALSE(Export(/*sync=*/true));
  EXPECT_THAT(error_, HasSubstr(mark + ": is a symbolic link"));
  EXPECT_EQ(NamesIn(elsewhere.path()), std::set<std::string>());
}

TEST_F(DatabaseExportTest, SyncRemovesNoFifoNorFolder) {
  AddFiles(1);
  const std::string live = out_ / *LiveFilterNames(db_).begin();
  MakeFifo(live);
  fs::create_directory(out_ / NameOf(1000000));
  EXPECT_FALSE(Export(/*sync=*/true));
  ASSERT_EQ(report_.errors.size(), 1u);
  EXPECT_THAT(report_.errors[0], HasSubstr(live + ": is a FIFO, none of the"));
  EXPECT_THAT(error_, HasSubstr(": is a folder, none of the"));
  EXPECT_EQ(TypeOf(live), mode_t{S_IFIFO});
  EXPECT_EQ(TypeOf(out_ / NameOf(1000000)), mode_t{S_IFDIR});
}

// An export with `sync` would remove the SSTables' own filters, or replace them
// with filters of other keys. So it refuses a folder of SSTables.
TEST_F(DatabaseExportTest, NoSyncAmongSstables) {
  AddFiles(1);
  WriteFile(out_ / "nb-1-big-Data.db", "data");
  WriteFile(out_ / "nb-1-big-Filter.db", "filter");
  const auto before = StateOf(out_.path());
  EXPECT_FALSE(Export(/*sync=*/true));
  EXPECT_THAT(error_, HasSubstr("holds SSTables of Cassandra, such as "
                                "nb-1-big-Data.db"));
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(Export(/*sync=*/false)) << error_;
  EXPECT_EQ(ReadFile(out_ / "nb-1-big-Filter.db"), "filter");
}

TEST_F(DatabaseExportTest, SyncReplacesWhatIsDamagedOrOld) {
  AddFiles(2);
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  const std::string damaged = report_.exported[0].filter_db;
  const std::string old = report_.exported[1].filter_db;
  const std::string whole = ReadFile(damaged);
  WriteFile(damaged, whole.substr(0, whole.size() / 2));
  fs::last_write_time(old,
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
  EXPECT_EQ(ReadFile(damaged), whole);
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(report_.kept.size(), 2);
  FilterDbExportOptions options;
  options.overwrite = true;
  ASSERT_TRUE(Export(/*sync=*/true, "", options)) << error_;
  EXPECT_EQ(report_.exported.size(), 2);
}

// If a changed file cannot be exported, its old filter is removed: a filter of
// other keys is worse than no filter.
TEST_F(DatabaseExportTest, SyncLeavesNoOldFilterOfAFileThatItCannotExport) {
  AddFiles(2);
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  const ExportedFilterDb exported = report_.exported[0];
  db_.Close();
  WriteFile(exported.sst_file, "no SST file");
  EXPECT_FALSE(Export(/*sync=*/true));
  EXPECT_EQ(report_.errors.size(), 1);
  EXPECT_EQ(report_.kept.size(), 1);
  EXPECT_FALSE(fs::exists(exported.filter_db));
}

TEST_F(DatabaseExportTest, SyncOfAFolderThatIsAnotherDatabases) {
  AddFiles(1);
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  const auto before = StateOf(out_.path());
  TestDb other(DbOptions(OurPolicy()));
  other.Put(NumberedRows(5000, 6000));
  other.Flush();
  FilterDbExportReport report;
  EXPECT_FALSE(ExportFilterDbs(other.path(), "", out_.path(), /*sync=*/true, {},
                               &report, &error_));
  EXPECT_THAT(error_, HasSubstr("holds the filters of another database"));
  EXPECT_EQ(StateOf(out_.path()), before);

  fs::remove(out_ / ".cassandra_bloom_database");
  FilterDbExportOptions options;
  EXPECT_FALSE(ExportFilterDbs(other.path(), "", out_.path(), /*sync=*/true,
                               options, &report, &error_));
  EXPECT_THAT(error_, HasSubstr("that no export recorded as its own"));
  options.overwrite = true;
  ASSERT_TRUE(ExportFilterDbs(other.path(), "", out_.path(), /*sync=*/true,
                              options, &report, &error_))
      << error_;
  EXPECT_EQ(report.kept.size(), 0);
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(other));
  ExpectFiltersAreTheirs(other, out_.path());
}

// SSTables of version `da` have "bti" in their names. Earlier builds wrote
// "big" there, which Cassandra does not read.
TEST_F(DatabaseExportTest, SyncReplacesFiltersUnderAFormerName) {
  AddFiles(2);
  FilterDbExportOptions da;
  da.sstable_version = "da";
  ASSERT_TRUE(Export(/*sync=*/true, "", da)) << error_;
  const std::set<std::string> names = NamesIn(out_.path());
  ASSERT_EQ(names.size(), 2u);
  std::vector<std::string> former;
  for (const std::string& name : names) {
    EXPECT_THAT(name, HasSubstr("-bti-Filter.db"));
    std::string big = name;
    big.replace(big.find("bti"), 3, "big");
    fs::rename(out_ / name, out_ / big);
    former.push_back(out_ / big);
  }
  ASSERT_TRUE(Export(/*sync=*/true, "", da)) << error_;
  EXPECT_EQ(report_.exported.size(), 2u);
  EXPECT_THAT(report_.removed, ::testing::UnorderedElementsAreArray(former));
  EXPECT_EQ(NamesIn(out_.path()), names);
  // In an unmarked folder they may be somebody else's.
  fs::remove(out_ / ".cassandra_bloom_database");
  for (const std::string& name : names) {
    fs::remove(out_ / name);
  }
  WriteFile(former[0], "made by hand");
  EXPECT_FALSE(Export(/*sync=*/true, "", da));
  EXPECT_EQ(ReadFile(former[0]), "made by hand");
}

TEST_F(DatabaseExportTest, SyncOfAnEmptyDatabase) {
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), std::set<std::string>());
}

TEST_F(DatabaseExportTest, ColumnFamilies) {
  rocksdb::ColumnFamilyOptions with_prefixes(db_.options());
  with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Require(db_->CreateColumnFamily(with_prefixes, "other", &other));
  AddFiles(1);
  const Rows rows = NumberedRows(5000, 6000);
  for (const auto& row : rows) {
    Require(db_->Put(kWrite, other, row.first, row.second));
  }
  Require(db_->Flush(rocksdb::FlushOptions(), other));

  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
  EXPECT_EQ(report_.exported.size(), 2);

  ASSERT_TRUE(Export(/*sync=*/true, "default")) << error_;
  EXPECT_EQ(report_.kept.size(), 1);
  EXPECT_EQ(report_.removed.size(), 1);

  FilterDbExportOptions prefixes;
  prefixes.prefixes = true;
  prefixes.overwrite = true;
  ASSERT_TRUE(Export(/*sync=*/true, "other", prefixes)) << error_;
  EXPECT_EQ(report_.removed.size(), 1);
  ASSERT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(
      ReadFile(report_.exported[0].filter_db),
      Built(PrefixesOf(KeysOf(rows), *with_prefixes.prefix_extractor), "nb"));

  EXPECT_FALSE(Export(/*sync=*/true, "default", prefixes));
  ASSERT_EQ(report_.errors.size(), 1);
  EXPECT_THAT(report_.errors[0],
              HasSubstr("column family 'default' has no prefix extractor"));
  EXPECT_FALSE(Export(/*sync=*/false, "none"));
  EXPECT_THAT(error_, HasSubstr("has no column family 'none'; it has 'default' "
                                "'other'"));
  Require(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(DatabaseExportTest, SeveralPathsAndLevels) {
  const TempDir second;
  rocksdb::Options options = db_.options();
  // All but the smallest files go to the second path.
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
  EXPECT_TRUE(Export(/*sync=*/true, "", with_paths)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
  ExpectFiltersAreTheirs(db_, out_.path());
  with_paths.db_paths = {second / "none"};
  EXPECT_FALSE(Export(/*sync=*/true, "", with_paths));
  EXPECT_THAT(error_, HasSubstr("/none: is not a folder"));
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));

  FilterDbExportReport report;
  ExportedFilterDb exported;
  EXPECT_TRUE(ExportFilterDb(second.path() + LiveFiles(db_)[0].name,
                             out_ / "file", {}, &exported, &error_))
      << error_;
  EXPECT_EQ(ReadFile(out_ / "file"),
            Built(KeysOf(NumberedRows(0, next_)), "nb"));
}

TEST_F(DatabaseExportTest, IngestedFile) {
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_.options());
  Require(writer.Open(dir / "new.sst"));
  const Rows rows = NumberedRows(0, 1000);
  for (const auto& row : rows) {
    Require(writer.Put(row.first, row.second));
  }
  Require(writer.Finish());
  Require(db_->IngestExternalFile({dir / "new.sst"},
                                  rocksdb::IngestExternalFileOptions()));
  ASSERT_TRUE(Export()) << error_;
  ASSERT_EQ(report_.exported.size(), 1);
  EXPECT_EQ(ReadFile(report_.exported[0].filter_db), Built(KeysOf(rows), "nb"));
}

// Changes to the database during an export, by another process, are no error.
TEST_F(DatabaseExportTest, WhileItIsWrittenTo) {
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
    EXPECT_TRUE(Export(/*sync=*/true)) << error_ << report_.errors.size();
  }
  stop = true;
  writer.join();
  ASSERT_TRUE(Export(/*sync=*/true)) << error_;
  EXPECT_EQ(NamesIn(out_.path()), LiveFilterNames(db_));
}

TEST_F(DatabaseExportTest, AMissingFileStopsNoOther) {
  AddFiles(3);
  db_.Close();
  FilterDbExportReport report;
  for (const std::string& name : NamesIn(db_.path())) {
    if (fs::path(name).extension() == ".sst") {
      fs::remove(db_.path() + "/" + name);
      break;
    }
  }
  EXPECT_FALSE(Export(/*sync=*/true));
  EXPECT_THAT(error_, HasSubstr("1 SST file was not exported"));
  EXPECT_EQ(report_.exported.size(), 2);
  ASSERT_EQ(report_.errors.size(), 1);
  EXPECT_THAT(report_.errors[0],
              HasSubstr("missing, though the MANIFEST names it"));
}

TEST_F(DatabaseExportTest, Refusals) {
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
  db_.Close();  // Otherwise RocksDB might still be removing a log.
  const auto before = StateOf(db_.path());
  for (const Refusal& refusal : refusals) {
    FilterDbExportOptions options;
    options.sstable_version = refusal.version;
    EXPECT_FALSE(ExportFilterDbs(refusal.db, "", refusal.out, /*sync=*/true,
                                 options, &report_, &error_));
    EXPECT_THAT(error_, HasSubstr(refusal.message));
  }
  EXPECT_EQ(StateOf(db_.path()), before);
  EXPECT_EQ(NamesIn(out_.path()), std::set<std::string>());
  EXPECT_EQ(NamesIn(empty.path()), std::set<std::string>{"file"});
}

TEST_F(DatabaseExportTest, IntoTheFolderOfAnotherDatabase) {
  AddFiles(1);
  const TestDb other(DbOptions(OurPolicy()));
  const auto before = StateOf(other.path());
  EXPECT_FALSE(ExportFilterDbs(db_.path(), "", other.path() + "/out",
                               /*sync=*/true, {}, &report_, &error_));
  EXPECT_THAT(error_, HasSubstr("is in the folder of a database"));
  EXPECT_EQ(StateOf(other.path()), before);
}

}  // namespace
}  // namespace cassandra_bloom::testing
