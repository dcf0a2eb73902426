// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_folder.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

LiveSst SstOf(uint64_t number, const std::string& identity = "id") {
  LiveSst sst;
  sst.number = number;
  sst.identity = identity;
  return sst;
}

class ExportFolderTest : public ::testing::Test {
 protected:
  std::unique_ptr<ExportFolder> Open(const std::string& path,
                                     const std::string& options = "options",
                                     bool dry_run = false) {
    return ExportFolder::Open(path, "nb", options, dry_run, NeverStop, &error_);
  }

  // Opens the folder, and makes it that of the database "db".
  std::unique_ptr<ExportFolder> Claimed(
      const std::string& options = "options") {
    auto folder = Open(dir_.path(), options);
    EXPECT_NE(folder, nullptr) << error_;
    EXPECT_TRUE(folder->ClaimFor("db", /*take_over=*/false, &error_)) << error_;
    return folder;
  }

  void AddFilter(ExportFolder* folder, const LiveSst& sst) {
    WriteFile(folder->FilterDbOf(sst.number), "filter");
    EXPECT_TRUE(folder->Record(sst, &error_)) << error_;
  }

  std::string Mark() const { return ReadFile(dir_ / kFolderMarkName); }

  const TempDir dir_;
  std::string error_;
};

TEST_F(ExportFolderTest, KnowsItsFilters) {
  auto folder = Claimed();
  EXPECT_EQ(Mark(), "db\n");
  EXPECT_FALSE(folder->HasFilterOf(SstOf(7)));
  AddFilter(folder.get(), SstOf(7));
  EXPECT_TRUE(folder->HasFilterOf(SstOf(7)));
  EXPECT_THAT(Mark(), HasSubstr("db\nnb-7-big-Filter.db\tid\toptions\t6 "));
  folder.reset();
  folder = Claimed();
  EXPECT_TRUE(folder->HasFilterOf(SstOf(7)));
  EXPECT_FALSE(folder->HasFilterOf(SstOf(8)));
  EXPECT_FALSE(folder->HasFilterOf(SstOf(7, "another")));
  folder.reset();
  EXPECT_FALSE(Claimed("other options")->HasFilterOf(SstOf(7)));
  EXPECT_EQ(fs::path(Claimed()->FilterDbOf(7)).filename(),
            "nb-7-big-Filter.db");
}

TEST_F(ExportFolderTest, AFilterThatChangedIsNotIts) {
  auto folder = Claimed();
  for (uint64_t number = 1; number <= 3; ++number) {
    AddFilter(folder.get(), SstOf(number));
  }
  WriteFile(folder->FilterDbOf(1), "cut");
  fs::last_write_time(folder->FilterDbOf(2), fs::file_time_type::min());
  fs::remove(folder->FilterDbOf(3));
  for (uint64_t number = 1; number <= 3; ++number) {
    EXPECT_FALSE(folder->HasFilterOf(SstOf(number))) << number;
  }
  EXPECT_TRUE(folder->Compact(&error_)) << error_;
  EXPECT_EQ(Mark(), "db\n");
}

TEST_F(ExportFolderTest, LinesThatAKilledWriterLeft) {
  auto folder = Claimed();
  AddFilter(folder.get(), SstOf(1));
  folder.reset();
  for (const std::string rest :
       {"x", "nb-2-big-Filter.db\tid\toptions\t6 1.2",
        "nb-2-big-Filter.db\tid\n", "\n\t\n\t\t\t\t\n"}) {
    WriteFile(dir_ / kFolderMarkName, Mark() + rest);
    folder = Claimed();
    EXPECT_TRUE(folder->HasFilterOf(SstOf(1)));
    EXPECT_FALSE(folder->HasFilterOf(SstOf(2)));
    AddFilter(folder.get(), SstOf(3));  // Is not lost behind a part of a line.
    folder.reset();
    folder = Claimed();
    EXPECT_TRUE(folder->HasFilterOf(SstOf(3)));
    EXPECT_TRUE(folder->Compact(&error_));
    folder.reset();
  }
}

TEST_F(ExportFolderTest, TheMarkDoesNotGrowForever) {
  auto folder = Claimed();
  AddFilter(folder.get(), SstOf(1));
  const std::string mark = Mark();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(folder->Record(SstOf(1), &error_));
  }
  EXPECT_GT(Mark().size(), mark.size());
  EXPECT_TRUE(folder->Compact(&error_));
  EXPECT_EQ(Mark(), mark);
  const auto before = StateOf(dir_.path());
  folder.reset();
  EXPECT_TRUE(Claimed()->Compact(&error_));
  EXPECT_EQ(StateOf(dir_.path()), before);  // There was nothing to do.
}

// Somebody may remove the whole folder while an export works in it. The mark
// then comes back with the next filter.
TEST_F(ExportFolderTest, TheMarkIsRemovedMeanwhile) {
  auto folder = Claimed();
  AddFilter(folder.get(), SstOf(1));
  const std::string mark = Mark();
  fs::remove(dir_ / kFolderMarkName);
  EXPECT_TRUE(folder->Record(SstOf(1), &error_)) << error_;
  EXPECT_EQ(Mark(), mark);
  folder.reset();
  EXPECT_TRUE(Claimed()->HasFilterOf(SstOf(1)));
}

TEST_F(ExportFolderTest, RemovesOthers) {
  auto folder = Claimed();
  AddFilter(folder.get(), SstOf(1));
  AddFilter(folder.get(), SstOf(2));
  folder.reset();
  const Names others = {"notes", "me-7-big-Filter.db", "nb-07-big-Filter.db",
                        "nb-7-big-Filter.db.bak", "notes.cassandra_bloom-new"};
  Names left = others;
  left.insert("nb-1-big-Filter.db");
  for (const std::string& name : others) {
    WriteFile(dir_ / name, "other");
  }
  WriteFile(dir_ / "nb-5-big-Filter.db.cassandra_bloom-new", "half");
  WriteFile(dir_ / ".cassandra_bloom_database.cassandra_bloom-new", "half");
  fs::create_symlink("notes", dir_ / "nb-9-big-Filter.db");
  folder = Claimed();
  LiveSsts live;
  live.files = {SstOf(1), SstOf(3)};
  std::vector<std::string> removed;
  ASSERT_TRUE(folder->RemoveOthers(live, &removed, &error_)) << error_;
  EXPECT_THAT(removed, ::testing::UnorderedElementsAre(folder->FilterDbOf(2),
                                                       folder->FilterDbOf(9)));
  EXPECT_EQ(NamesIn(dir_.path()), left);
  EXPECT_FALSE(
      fs::exists(dir_ / ".cassandra_bloom_database.cassandra_bloom-new"));
  EXPECT_TRUE(folder->Remove(1, &error_));
  EXPECT_TRUE(folder->Remove(1, &error_));
  EXPECT_FALSE(folder->HasFilterOf(SstOf(1)));
  fs::create_directory(dir_ / "nb-4-big-Filter.db");
  EXPECT_FALSE(folder->Remove(4, &error_));
  EXPECT_THAT(error_, HasSubstr("nb-4-big-Filter.db: cannot be removed"));
}

TEST_F(ExportFolderTest, IsOfOneDatabase) {
  WriteFile(dir_ / kFolderMarkName, "a b\n");
  const auto before = StateOf(dir_.path());
  for (const bool take_over : {false, true}) {
    EXPECT_FALSE(Open(dir_.path())->ClaimFor("db", take_over, &error_));
    EXPECT_THAT(error_, HasSubstr("holds the filters of another database, a b; "
                                  "choose another folder, or, if it shall be "
                                  "that of db, remove "));
  }
  EXPECT_EQ(StateOf(dir_.path()), before);
  EXPECT_TRUE(Open(dir_.path())->ClaimFor("a\nb", false, &error_)) << error_;
}

TEST_F(ExportFolderTest, FiltersWithoutAMark) {
  WriteFile(dir_ / "nb-7-big-Filter.db", "by hand");
  EXPECT_FALSE(Open(dir_.path())->ClaimFor("db", false, &error_));
  EXPECT_THAT(error_, HasSubstr("such as nb-7-big-Filter.db, and making the "
                                "folder follow a database would remove or "
                                "replace them; choose another folder, or let"));
  EXPECT_EQ(NamesIn(dir_.path()), Names{"nb-7-big-Filter.db"});
  WriteFile(dir_ / "nb-7-big-Data.db", "rows");
  EXPECT_FALSE(Open(dir_.path())->ClaimFor("db", true, &error_));
  EXPECT_THAT(error_, HasSubstr("SSTables of Cassandra, such as nb-7-big-D"));
  fs::remove(dir_ / "nb-7-big-Data.db");
  EXPECT_TRUE(Open(dir_.path())->ClaimFor("db", true, &error_)) << error_;
  WriteFile(dir_ / "me-1-big-Data.db", "rows");
  EXPECT_FALSE(Open(dir_.path())->ClaimFor("db", true, &error_));
}

TEST_F(ExportFolderTest, FoldersThatCannotBeUsed) {
  WriteFile(dir_ / "file", "");
  EXPECT_EQ(Open(""), nullptr);
  EXPECT_EQ(error_, "the folder to export to has no name");
  EXPECT_EQ(Open(dir_ / "a/b"), nullptr);
  EXPECT_EQ(error_, dir_ / "a/b" +
                        ": is no folder, and cannot be created: No "
                        "such file or directory");
  EXPECT_EQ(Open(dir_ / "file"), nullptr);
  EXPECT_THAT(error_, HasSubstr("/file: is no folder that can be read"));
  EXPECT_NE(Open(dir_ / "new"), nullptr) << error_;
  fs::create_directory(dir_ / "new" + "/" + kFolderMarkName);
  EXPECT_FALSE(Open(dir_ / "new")->ClaimFor("db", true, &error_));
  EXPECT_THAT(error_, HasSubstr("not a regular file"));
}

TEST_F(ExportFolderTest, ADryRunChangesNothing) {
  EXPECT_NE(Open(dir_ / "new", "options", /*dry_run=*/true), nullptr) << error_;
  EXPECT_EQ(NamesIn(dir_.path()), Names());
  AddFilter(Claimed().get(), SstOf(1));
  const auto before = StateOf(dir_.path());
  const auto folder = Open(dir_.path(), "options", /*dry_run=*/true);
  ASSERT_TRUE(folder->ClaimFor("db", false, &error_)) << error_;
  std::vector<std::string> removed;
  EXPECT_TRUE(folder->RemoveOthers({}, &removed, &error_));
  EXPECT_EQ(removed.size(), 1u);
  EXPECT_EQ(StateOf(dir_.path()), before);
}

TEST_F(ExportFolderTest, WaitsForTheLockUntilItIsStopped) {
  const auto holder = Claimed();
  int asked = 0;
  EXPECT_EQ(ExportFolder::Open(
                dir_.path(), "nb", "options", /*dry_run=*/false,
                [&] { return ++asked == 3; }, &error_),
            nullptr);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(error_, "");
}

}  // namespace
}  // namespace cassandra_bloom::testing
