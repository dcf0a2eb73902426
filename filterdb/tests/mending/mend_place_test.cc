// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "filterdb/mending/mend_outcome.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

class MendPlaceTest : public ::testing::Test {
 protected:
  MendPlaceTest() : dir_(testing::FolderInMemory()) {
    sstable_.folder = dir_.path();
    sstable_.name_prefix = "nb-1-big-";
    for (const char* const component :
         {"Data.db", "Index.db", "Filter.db", "TOC.txt"}) {
      WriteFile(sstable_.Path(component), "Data.db\n");
    }
    change_.filter = [](const Append& append) { return append("new", 3); };
    change_.completes_toc = true;
  }

  // Returns "" if the files were changed, otherwise the reason.
  std::string Change(const std::function<void()>& before_naming) const {
    try {
      MendPlace(sstable_, tools::StampsOf(sstable_), /*node_is_down=*/true)
          .Change(change_, before_naming);
      return "";
    } catch (const MendEnd& end) {
      return end.reason;
    }
  }

  const TempDir dir_;
  Sstable sstable_;
  MendChange change_;
};

TEST_F(MendPlaceTest, ChangesFilterAndToc) {
  EXPECT_EQ(Change([] {}), "");
  EXPECT_EQ(ReadFile(sstable_.Path("Filter.db")), "new");
  EXPECT_EQ(ReadFile(sstable_.Path("TOC.txt")), "Data.db\nFilter.db\n");
  EXPECT_EQ(dir_.Names().size(), 4U);
}

TEST_F(MendPlaceTest, KeepsTheModeAndTheGroup) {
  const std::string filter = sstable_.Path("Filter.db");
  fs::permissions(sstable_.Path("Data.db"), fs::perms(0666));
  fs::permissions(filter, fs::perms(0460));
  constexpr gid_t kOther = 65534;
  const bool has_group =
      chown(filter.c_str(), static_cast<uid_t>(-1), kOther) == 0;
  EXPECT_EQ(Change([] {}), "");
  EXPECT_EQ(fs::status(filter).permissions(), fs::perms(0460));
  struct stat status;
  ASSERT_EQ(stat(filter.c_str(), &status), 0);
  EXPECT_EQ(status.st_gid == kOther, has_group);
  // A node could not read the second one.
  const auto like_data = [&](const std::function<void()>& change) {
    change();
    EXPECT_EQ(Change([] {}), "");
    EXPECT_EQ(fs::status(filter).permissions(), fs::perms(0666));
  };
  like_data([&] { fs::remove(filter); });
  like_data([&] { fs::permissions(filter, fs::perms(0044)); });
}

// A node starts after the new files were written, and before they get their
// names. Nothing is replaced, and nothing is left behind.
TEST_F(MendPlaceTest, WhatHappensBeforeTheNaming) {
  const std::string data = sstable_.Path("Data.db");
  const auto replace = [&](const std::string& component) {
    WriteFile(dir_ / "other", "Data.db\n");
    fs::rename(dir_ / "other", sstable_.Path(component));
  };
  EXPECT_THAT(Change([&] { replace("TOC.txt"); }), HasSubstr("has changed"));
  EXPECT_THAT(Change([&] { replace("Filter.db"); }), HasSubstr("has changed"));
  EXPECT_THAT(Change([&] { replace("Index.db"); }), HasSubstr("has changed"));
  EXPECT_THAT(Change([&] { replace("Data.db"); }), HasSubstr("has changed"));
  // Without O_NONBLOCK, this would wait for the end of the lease.
  int fd = -1;
  const std::string reason = Change(
      [&] { fd = open(data.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); });
  EXPECT_LT(fd, 0);
  EXPECT_THAT(reason, HasSubstr("a process has its Data.db"));
  EXPECT_THAT(Change([&] { fs::remove(data); }), HasSubstr("has changed"));
  EXPECT_EQ(ReadFile(sstable_.Path("Filter.db")), "Data.db\n");
  EXPECT_EQ(ReadFile(sstable_.Path("TOC.txt")), "Data.db\n");
  EXPECT_EQ(dir_.Names().size(), 3U);
}

}  // namespace
}  // namespace cassandra_bloom::tools
