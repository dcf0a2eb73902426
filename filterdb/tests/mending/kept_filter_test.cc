// SPDX-License-Identifier: Apache-2.0

// Tests that KeptFilter::Keep syncs the names of backups to disk.

#include "filterdb/mending/kept_filter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace {

// The calls of fsync and linkat, such as "sync /tmp/folder".
std::vector<std::string>& Steps() {
  static std::vector<std::string> steps;
  return steps;
}

}  // namespace

// In this program, these functions replace fsync and linkat of the C library.

extern "C" int fsync(int fd) {
  std::error_code ignored;
  Steps().push_back("sync " +
                    std::filesystem::read_symlink(
                        "/proc/self/fd/" + std::to_string(fd), ignored)
                        .string());
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int linkat(int from_folder, const char* from, int to_folder,
                      const char* to, int flags) noexcept {
  Steps().push_back(std::string("link ") + to);
  return static_cast<int>(
      syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using tools::Backup;
using tools::BackupPlan;
using tools::KeptFilter;
using tools::PinnedFolder;

class KeptFilterTest : public ::testing::Test {
 protected:
  KeptFilterTest() {
    sstable_.folder = fs::canonical(dir_.path());
    sstable_.name_prefix = "nb-1-big-";
    sstable_.version = "nb";
    for (const std::string component : {"Data.db", "Index.db", "Filter.db"}) {
      WriteFile(sstable_.Path(component), "bytes of " + component);
    }
  }

  void Keep(const BackupPlan& backup) const {
    const PinnedFolder folder(sstable_.folder);
    KeptFilter filter(sstable_, folder, backup, [] {});
    const tools::Kept kept = filter.Look();
    ASSERT_EQ(filter.ReasonNotToReplace(kept), "");
    Steps().clear();
    filter.Keep(kept, {1, 2});
  }

  const TempDir dir_;
  tools::Sstable sstable_;
};

TEST_F(KeptFilterTest, TheNameBesideIsSynced) {
  Keep({Backup::kBeside, ""});
  ASSERT_GE(Steps().size(), 2U);
  EXPECT_EQ(Steps()[Steps().size() - 2], "link nb-1-big-Filter.db.bak");
  EXPECT_EQ(Steps().back(), "sync " + sstable_.folder);
}

TEST_F(KeptFilterTest, TheNamesOfNewFoldersAreSynced) {
  const TempDir backup;
  const fs::path top = fs::canonical(backup.path());
  Keep({Backup::kFolder, top / "x/y"});
  const fs::path folder =
      top / "x/y" / fs::path(sstable_.folder).relative_path();
  ASSERT_TRUE(fs::exists(folder / "nb-1-big-Filter.db"));
  for (fs::path path = folder; path != top.parent_path();
       path = path.parent_path()) {
    EXPECT_THAT(Steps(), Contains("sync " + path.string()));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
