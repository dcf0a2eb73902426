// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plugin/filter_db/read_file.h"
#include "tests/export/export_fixture.h"
#include "tools/export/folder_upkeep.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;

TEST(ExportNamesTest, OfFilters) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{7}, ~uint64_t{0}}) {
    for (const std::string version : {"nb", "da", "ka"}) {
      EXPECT_EQ(NumberOfFilterDb(FilterDbName(version, number), version),
                number);
    }
  }
  EXPECT_EQ(FilterDbName("nb", 123), "nb-123-big-Filter.db");
  EXPECT_EQ(FilterDbName("da", 123), "da-123-bti-Filter.db");
  for (const char* const other :
       {"", "nb", "nb-", "nb-7", "nb-7-big", "nb-07-big-Filter.db",
        "nb-7-bti-Filter.db", "na-7-big-Filter.db", "nb-7-big-Filter.db.bak",
        "xnb-7-big-Filter.db", "nb--7-big-Filter.db", "nb-x-big-Filter.db",
        "nb-99999999999999999999-big-Filter.db", "nb7-big-Filter.db"}) {
    EXPECT_EQ(NumberOfFilterDb(other, "nb"), std::nullopt) << other;
  }
}

TEST(ExportNamesTest, OfSstFiles) {
  for (const uint64_t number : {uint64_t{7}, uint64_t{123456}, ~uint64_t{0}}) {
    EXPECT_EQ(NumberOfSst("/db.5/" + SstName(number)), number);
  }
  EXPECT_EQ(SstName(7), "000007.sst");
  EXPECT_EQ(NumberOfSst("(nil)"), 0u);
}

class ExportFolderTest : public ExportTest {
 protected:
  ExportFolderTest() {
    AddFiles(2);
    ssts_ = LiveSstsOf(db_.get()).files;
    first_ = ssts_.begin()->first;
    last_ = ssts_.rbegin()->first;
  }

  ExportFolder Folder(const ExportOptions& options = {}) {
    return FolderOf(*PlanExport(options, &error_), path_);
  }

  ExportResult Renew(uint64_t number, const std::string& sst) {
    const auto write = [&](const std::string& path, std::string* error) {
      ExportedFilterDb exported;
      exported.sst_file = sst;
      exported.filter_db = path;
      return ExportSst(*PlanExport({}, error), &exported, error);
    };
    return Folder().Renew(number, sst, write, &error_);
  }

  // Makes the filters of the database anew.
  void RenewAll() {
    EXPECT_TRUE(Folder().Claim("db", &error_)) << error_;
    for (const auto& [number, sst] : ssts_) {
      EXPECT_EQ(Renew(number, sst), ExportResult::kDone) << error_;
    }
  }

  bool HasFilterOf(uint64_t number, const ExportOptions& options = {}) {
    std::set<std::string> lines;
    EXPECT_TRUE(ReadMark(Folder(options), &lines, &error_)) << error_;
    return cassandra_bloom::HasFilterOf(Folder(options), lines, number,
                                        ssts_.at(number));
  }

  std::string Mark() const { return ReadFile(path_ + "/" + kFolderMarkName); }
  void SetMark(const std::string& text) const {
    WriteFile(path_ + "/" + kFolderMarkName, text);
  }

  std::string path_ = out_.path();
  std::map<uint64_t, std::string> ssts_;
  uint64_t first_;
  uint64_t last_;
};

TEST_F(ExportFolderTest, KnowsItsFilters) {
  EXPECT_FALSE(HasFilterOf(first_));
  RenewAll();
  EXPECT_TRUE(HasFilterOf(first_));
  EXPECT_THAT(Mark(), ::testing::StartsWith("db\n" +
                                            FilterDbName("nb", first_) + "\t"));
  EXPECT_FALSE(HasFilterOf(first_, With(&ExportOptions::from_keys, true)));
  EXPECT_TRUE(Folder().Remove(first_, &error_));
  EXPECT_TRUE(Folder().Remove(first_, &error_));
  EXPECT_FALSE(HasFilterOf(first_));
  EXPECT_TRUE(HasFilterOf(last_));
}

TEST(StampTest, DiffersForAnotherTimeSizeOrInode) {
  const TempDir dir;
  const std::string path = dir / "file";
  EXPECT_EQ(StampOf(path), "");
  EXPECT_EQ(StampOf(dir.path()), "");
  WriteFile(path, "one");
  const auto time = fs::last_write_time(path);
  Names stamps = {StampOf(path)};
  fs::last_write_time(path, time + std::chrono::nanoseconds(1));
  stamps.insert(StampOf(path));
  fs::resize_file(path, 5);
  fs::last_write_time(path, time);
  stamps.insert(StampOf(path));
  WriteFile(path + "2", "one");
  fs::last_write_time(path + "2", time);
  stamps.insert(StampOf(path + "2"));
  EXPECT_EQ(stamps.size(), 4u);
  fs::create_hard_link(path, path + "3");
  EXPECT_EQ(StampOf(path), StampOf(path + "3"));
}

TEST_F(ExportFolderTest, AFileThatChangedHasNoFilter) {
  for (const std::string& changed :
       {ssts_.at(first_), Folder().FilterDbOf(first_)}) {
    RenewAll();
    fs::last_write_time(changed, fs::file_time_type::min());
    EXPECT_FALSE(HasFilterOf(first_)) << changed;
  }
}

TEST_F(ExportFolderTest, LinesThatAKilledWriterLeft) {
  RenewAll();
  const std::string mark = Mark();
  const size_t last = mark.rfind('\n', mark.size() - 2) + 1;
  for (size_t end = last; end < mark.size(); ++end) {
    SetMark(mark.substr(0, end));
    EXPECT_TRUE(HasFilterOf(first_));
    EXPECT_EQ(HasFilterOf(last_), end == mark.size() - 1) << end;
    // A line that is appended to a part of one is lost, but not misread.
    SetMark(mark.substr(0, end) + mark.substr(last));
    EXPECT_TRUE(HasFilterOf(first_));
    EXPECT_EQ(HasFilterOf(last_), end == last) << end;
  }
}

TEST_F(ExportFolderTest, TheMarkDoesNotGrowForever) {
  RenewAll();
  const auto num_lines = [this] {
    const std::string mark = Mark();
    return std::count(mark.begin(), mark.end(), '\n');
  };
  const auto lines = num_lines();
  RenewAll();
  RenewAll();
  EXPECT_EQ(num_lines(), 3 * lines - 2);  // The first one is there once.
  EXPECT_TRUE(ShortenMark(Folder(), &error_)) << error_;
  EXPECT_EQ(num_lines(), lines);
  const auto before = StateOf(out_.path());
  EXPECT_TRUE(ShortenMark(Folder(), &error_));
  EXPECT_EQ(StateOf(out_.path()), before);  // There was nothing to do.
}

// Somebody copied the folder, with its mark, into that of a table.
TEST_F(ExportFolderTest, SstablesBesideAMark) {
  RenewAll();
  EXPECT_TRUE(Folder().MayBeTaken(/*is_claimed=*/true, &error_)) << error_;
  WriteFile(path_ + "/nb-777-big-Data.db", "rows");
  EXPECT_FALSE(Folder().MayBeTaken(/*is_claimed=*/true, &error_));
  EXPECT_THAT(error_, ::testing::HasSubstr("SSTables of Cassandra"));
}

TEST_F(ExportFolderTest, ADatabaseHasOnePathInOneLine) {
  const TempDir dir;
  fs::create_symlink(db_.path(), dir / "link");
  for (const std::string& path : {dir / "link", db_.path() + "/"}) {
    EXPECT_EQ(DatabaseOf(path), DatabaseOf(db_.path()));
  }
  EXPECT_EQ(DatabaseOf("/data/a\nb"), "/data/a b");
}

// An export of root's may have written the mark anew.
TEST_F(ExportFolderTest, AMarkOfAnotherUser) {
  constexpr uid_t kNobody = 65534;
  RenewAll();
  chmod((path_ + "/" + kFolderMarkName).c_str(), 0444);
  const bool is_root = geteuid() == 0;
  if (is_root) {
    EXPECT_EQ(chown(path_.c_str(), kNobody, kNobody), 0);
    chmod(db_.path().c_str(), 0755);
    EXPECT_EQ(seteuid(kNobody), 0);
  }
  RenewAll();
  if (is_root) {
    EXPECT_EQ(seteuid(0), 0);
  }
  EXPECT_TRUE(HasFilterOf(first_));
}

TEST_F(ExportFolderTest, LeavesNoWrongFilter) {
  RenewAll();
  const std::string filter = Folder().FilterDbOf(first_);
  EXPECT_EQ(Renew(first_, "/no/such.sst"), ExportResult::kGone);
  EXPECT_TRUE(fs::exists(filter));
  WriteFile(out_ / "no.sst", "no SST file");
  EXPECT_EQ(Renew(first_, out_ / "no.sst"), ExportResult::kCannotRead);
  EXPECT_FALSE(fs::exists(filter));
  // A filter that is not in the mark may not stay: without its mark, no export
  // would ever take the folder again.
  fs::remove(path_ + "/" + kFolderMarkName);
  EXPECT_EQ(Renew(first_, ssts_.at(first_)), ExportResult::kCannotWrite);
  EXPECT_FALSE(fs::exists(filter));
  fs::create_directory(filter);
  EXPECT_EQ(Renew(first_, ssts_.at(first_)), ExportResult::kCannotWrite);
  EXPECT_THAT(error_, HasSubstr("-Filter.db: cannot be removed"));
}

TEST_F(ExportFolderTest, ListsItsFiltersAndRemovesWhatIsLeftOver) {
  const Names others = {"notes", "me-7-big-Filter.db", "nb-7-big-Filter.db.bak",
                        "notes.cassandra_bloom-new.aB3dE6",
                        "nb-5-big-Filter.db.cassandra_bloom-new.young"};
  const Names old = {"nb-5-big-Filter.db.cassandra_bloom-new",
                     "nb-5-big-Filter.db.cassandra_bloom-new.aB3dE6",
                     ".cassandra_bloom_database.cassandra_bloom-new.aB3dE6"};
  for (const Names& names : {others, old}) {
    for (const std::string& name : names) {
      WriteFile(out_ / name, "half");
      if (!cassandra_bloom::EndsWith(name, "young")) {
        fs::last_write_time(out_ / name, fs::file_time_type::clock::now() -
                                             std::chrono::hours(25));
      }
    }
  }
  fs::create_symlink("notes", out_ / "nb-9-big-Filter.db");
  const auto dry_run = With(&ExportOptions::dry_run, true);
  const auto before = StateOf(out_.path());
  std::vector<uint64_t> numbers;
  EXPECT_TRUE(ListAndTidy(Folder(dry_run), &numbers, &error_)) << error_;
  EXPECT_EQ(numbers, std::vector<uint64_t>{9});
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(ListAndTidy(Folder(), &numbers, &error_)) << error_;
  EXPECT_TRUE(Folder().Remove(9, &error_)) << error_;
  EXPECT_EQ(Names(others), out_.Names());
}

TEST_F(ExportFolderTest, IsOfOneDatabase) {
  SetMark("a b\n");
  const auto before = StateOf(out_.path());
  EXPECT_FALSE(Folder().Claim("db", &error_));
  EXPECT_THAT(error_, HasSubstr("holds the filters of another database, a b; "
                                "choose another folder, or, if it shall be "
                                "that of db, remove "));
  EXPECT_EQ(StateOf(out_.path()), before);
  EXPECT_TRUE(Folder().Claim("a b", &error_)) << error_;
  EXPECT_EQ(Folder().Owner(), "a b");
}

TEST_F(ExportFolderTest, FiltersWithoutAMark) {
  const auto take_over = With(&ExportOptions::overwrite, true);
  WriteFile(out_ / "nb-7-big-Filter.db", "by hand");
  EXPECT_FALSE(Folder().Claim("db", &error_));
  EXPECT_THAT(error_, HasSubstr("holds nb-7-big-Filter.db, which no export "
                                "recorded as its own, and an export would"));
  EXPECT_EQ(Filters(), Names{"nb-7-big-Filter.db"});
  WriteFile(out_ / "nb-7-big-Data.db", "rows");
  EXPECT_FALSE(Folder(take_over).Claim("db", &error_));
  EXPECT_THAT(error_,
              HasSubstr("because this one holds SSTables of Cassandra"));
  fs::remove(out_ / "nb-7-big-Data.db");
  EXPECT_TRUE(Folder(take_over).Claim("db", &error_)) << error_;
  EXPECT_TRUE(Folder().Claim("db", &error_)) << error_;
}

TEST_F(ExportFolderTest, FoldersThatCannotBeUsed) {
  WriteFile(out_ / "file", "");
  const struct {
    std::string path;
    const char* message;
  } refusals[] = {
      {"", "the folder to export to has no name"},
      {out_ / "a/b", "/a/b: is no folder, and cannot be created: No such"},
      {out_ / "file", "/file: is no folder that can be read: Not a directory"},
      {out_ / "new", ""},
      {out_ / "new", "new/.cassandra_bloom_database: will not be overwritten"},
  };
  for (const auto& refusal : refusals) {
    path_ = refusal.path;
    const bool is_good = *refusal.message == 0;
    EXPECT_EQ(Folder().Claim("db", &error_), is_good) << path_ << error_;
    if (is_good) {
      fs::remove(path_ + "/" + kFolderMarkName);
      fs::create_directory(path_ + "/" + kFolderMarkName);
    } else {
      EXPECT_THAT(error_, HasSubstr(refusal.message));
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
