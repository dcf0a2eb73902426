// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/special_files.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class FolderTest : public ExportTest {};

// An export with `sync` must refuse a folder with filters that no export has
// recorded there. Such filters may be of another database, or made by hand.
TEST_F(FolderTest, SyncRefusesFiltersThatItDidNotMake) {
  AddFiles(2);
  const std::string live = *Live().begin();
  for (const std::string& name : {live, FilterName(1000000)}) {
    WriteFile(out_ / name, "made by hand");
    const auto before = StateOf(out_.path());
    EXPECT_FALSE(Sync());
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
  // An export without `sync` does not record its filters either.
  ASSERT_TRUE(Export()) << error_;
  EXPECT_FALSE(Sync());
  WriteFile(out_ / FilterName(1000000), "made by hand");
  WriteFile(out_ / live, "made by hand");
  ASSERT_TRUE(TakeOver()) << error_;
  EXPECT_EQ(report_.removed,
            std::vector<std::string>{out_ / FilterName(1000000)});
  EXPECT_EQ(Filters(), Live());
  ExpectFiltersAreTheirs(db_, out_.path());
  ASSERT_TRUE(Sync()) << error_;
  EXPECT_EQ(report_.kept.size(), 2u);
}

TEST_F(FolderTest, SyncRefusesFiltersOfAVersionThatIsNotRecorded) {
  AddFiles(1);
  ASSERT_TRUE(Sync()) << error_;
  WriteFile(out_ / "me-7-big-Filter.db", "made by hand");
  const auto before = StateOf(out_.path());
  EXPECT_FALSE(Sync(ForVersion("me")));
  EXPECT_THAT(error_, HasSubstr("such as me-7-big-Filter.db, and"));
  EXPECT_EQ(StateOf(out_.path()), before);
}

// An export must neither write through a symbolic link nor remove the link.
TEST_F(FolderTest, SyncGoesThroughNoLink) {
  AddFiles(2);
  const std::string linked = out_ / *Live().begin();
  const TempDir elsewhere;
  WriteFile(elsewhere / "precious", "precious");
  fs::create_symlink(elsewhere / "precious", linked);
  fs::create_symlink(elsewhere / "precious", out_ / FilterName(1000000));
  for (const bool overwrite : {false, true}) {
    FilterDbExportOptions options;
    options.overwrite = overwrite;
    EXPECT_FALSE(Sync(options));
    const char* const why =
        ": is a symbolic link, none of the export's own files, and is left "
        "alone; remove it, or choose another folder";
    EXPECT_EQ(report_.errors, std::vector<std::string>{linked + why});
    EXPECT_EQ(error_, out_ / FilterName(1000000) + why);
    // The other SST file must still get its filter.
    EXPECT_EQ(report_.exported.size() + report_.kept.size(), 1u);
    EXPECT_EQ(report_.removed, std::vector<std::string>());
    EXPECT_EQ(TypeOf(linked), mode_t{S_IFLNK});
    EXPECT_EQ(TypeOf(out_ / FilterName(1000000)), mode_t{S_IFLNK});
    EXPECT_EQ(ReadFile(elsewhere / "precious"), "precious");
    EXPECT_EQ(NamesIn(elsewhere.path()), Names{"precious"});
  }
  fs::remove(linked);
  fs::remove(out_ / FilterName(1000000));
  EXPECT_TRUE(Sync()) << error_;
  EXPECT_EQ(Filters(), Live());
}

TEST_F(FolderTest, SyncKeepsNoLinkToAFilter) {
  AddFiles(1);
  ASSERT_TRUE(Export()) << error_;
  const TempDir elsewhere;
  const std::string name = *Live().begin();
  fs::rename(out_ / name, elsewhere / name);
  fs::create_symlink(elsewhere / name, out_ / name);
  EXPECT_FALSE(Sync());
  EXPECT_EQ(report_.kept, std::vector<std::string>());
  EXPECT_EQ(report_.errors.size(), 1u);
}

TEST_F(FolderTest, SyncMarksTheFolderThroughNoLink) {
  AddFiles(1);
  const TempDir elsewhere;
  const std::string mark = out_ / kMark;
  fs::create_symlink(elsewhere / "mark", mark);
  EXPECT_FALSE(Sync());
  EXPECT_THAT(error_, HasSubstr(mark + ": is a symbolic link"));
  EXPECT_EQ(NamesIn(elsewhere.path()), Names());
}

TEST_F(FolderTest, SyncRemovesNoFifoNorFolder) {
  AddFiles(1);
  const std::string live = out_ / *Live().begin();
  MakeFifo(live);
  fs::create_directory(out_ / FilterName(1000000));
  EXPECT_FALSE(Sync());
  ASSERT_EQ(report_.errors.size(), 1u);
  EXPECT_THAT(report_.errors[0], HasSubstr(live + ": is a FIFO, none of the"));
  EXPECT_THAT(error_, HasSubstr(": is a folder, none of the"));
  EXPECT_EQ(TypeOf(live), mode_t{S_IFIFO});
  EXPECT_EQ(TypeOf(out_ / FilterName(1000000)), mode_t{S_IFDIR});
}

// An export with `sync` must refuse a folder of SSTables, because it would
// remove or replace the SSTables' own filters.
TEST_F(FolderTest, NoSyncAmongSstables) {
  AddFiles(1);
  WriteFile(out_ / "nb-1-big-Data.db", "data");
  WriteFile(out_ / "nb-1-big-Filter.db", "filter");
  const auto before = StateOf(out_.path());
  EXPECT_FALSE(Sync());
  EXPECT_THAT(error_, HasSubstr("holds SSTables of Cassandra, such as "
                                "nb-1-big-Data.db"));
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(Export()) << error_;
  EXPECT_EQ(ReadFile(out_ / "nb-1-big-Filter.db"), "filter");
}

TEST_F(FolderTest, SyncOfAFolderThatIsAnotherDatabases) {
  AddFiles(1);
  ASSERT_TRUE(Sync()) << error_;
  const auto before = StateOf(out_.path());
  TestDb other(DbOptions(OurPolicy()));
  AddFile(&other, 5000, 6000);
  FilterDbExportOptions options;
  const auto sync_other = [&] {
    return ExportFilterDbs(other.path(), "", out_.path(), /*sync=*/true,
                           options, &report_, &error_);
  };
  EXPECT_FALSE(sync_other());
  EXPECT_THAT(error_, HasSubstr("holds the filters of another database"));
  EXPECT_EQ(StateOf(out_.path()), before);

  fs::remove(out_ / kMark);
  EXPECT_FALSE(sync_other());
  EXPECT_THAT(error_, HasSubstr("that no export recorded as its own"));
  options.overwrite = true;
  ASSERT_TRUE(sync_other()) << error_;
  EXPECT_EQ(report_.kept.size(), 0);
  EXPECT_EQ(Filters(), LiveFilterNames(other));
  ExpectFiltersAreTheirs(other, out_.path());
}

TEST_F(FolderTest, IntoTheFolderOfAnotherDatabase) {
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
