// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

class PlaceTest : public ::testing::Test {
 protected:
  PlaceTest() : dir_(testing::FolderInMemory()) {
    sstable_.folder = dir_.path();
    sstable_.name_prefix = "nb-1-big-";
    for (const char* const component :
         {"Data.db", "Index.db", "Filter.db", "TOC.txt"}) {
      WriteFile(sstable_.Path(component), "Data.db\n");
    }
    WriteFile(runs_ / "1", "new");
    change_.filter = runs_ / "1";
    change_.filter_crc = Crc32("new");
    change_.completes_toc = true;
  }

  // Returns "" if the files were changed, otherwise the reason.
  std::string Do(const std::function<void()>& before_naming) const {
    try {
      Place place(sstable_);
      EXPECT_TRUE(place.Plan(change_));
      place.WriteTemporary(".new");
      before_naming();
      place.CheckUnchanged();
      place.GiveNames();
      return "";
    } catch (const End& end) {
      return end.reason;
    }
  }

  const TempDir dir_;
  const TempDir runs_;
  Sstable sstable_;
  Change change_;
};

TEST_F(PlaceTest, KeepsTheModeAndTheGroup) {
  const std::string filter = sstable_.Path("Filter.db");
  fs::permissions(sstable_.Path("Data.db"), fs::perms(0666));
  fs::permissions(filter, fs::perms(0460));
  constexpr gid_t kOther = 65534;
  const bool has_group =
      chown(filter.c_str(), static_cast<uid_t>(-1), kOther) == 0;
  EXPECT_EQ(Do([] {}), "");
  EXPECT_EQ(fs::status(filter).permissions(), fs::perms(0460));
  struct stat status;
  ASSERT_EQ(stat(filter.c_str(), &status), 0);
  EXPECT_EQ(status.st_gid == kOther, has_group);
  // A node could not read the second one.
  const auto like_data = [&](const std::function<void()>& change) {
    change();
    EXPECT_EQ(Do([] {}), "");
    EXPECT_EQ(fs::status(filter).permissions(), fs::perms(0666));
  };
  like_data([&] { fs::remove(filter); });
  if (geteuid() == 0) {  // Its owner may not read it.
    like_data([&] { fs::permissions(filter, fs::perms(0044)); });
  }
}

// A node starts after the new files were written, and before they get their
// names. Nothing is replaced, and nothing is left behind.
TEST_F(PlaceTest, WhatHappensBeforeTheNaming) {
  const std::string data = sstable_.Path("Data.db");
  const auto replace = [&](const std::string& component) {
    WriteFile(dir_ / "other", "Data.db\n");
    fs::rename(dir_ / "other", sstable_.Path(component));
  };
  EXPECT_THAT(Do([&] { replace("TOC.txt"); }), HasSubstr("has changed"));
  EXPECT_THAT(Do([&] { replace("Filter.db"); }), HasSubstr("has changed"));
  EXPECT_THAT(Do([&] { replace("Index.db"); }), HasSubstr("has changed"));
  EXPECT_THAT(Do([&] { replace("Data.db"); }), HasSubstr("has changed"));
  EXPECT_THAT(Do([&] { fs::remove(data); }), HasSubstr("has changed"));
  EXPECT_EQ(ReadFile(sstable_.Path("Filter.db")), "Data.db\n");
  EXPECT_EQ(ReadFile(sstable_.Path("TOC.txt")), "Data.db\n");
  EXPECT_EQ(dir_.Names().size(), 3U);
}

}  // namespace
}  // namespace cassandra_bloom::tools
