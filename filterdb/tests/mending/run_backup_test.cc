// SPDX-License-Identifier: Apache-2.0

// Writes the backup of a run while files cannot grow.

#include "filterdb/mending/run_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/mending/mend_outcome.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using testing::FileSizeLimit;
using ::testing::HasSubstr;
using testing::TempDir;
using testing::WriteFile;

class RunBackupTest : public ::testing::Test {
 protected:
  Sstable Make(const std::string& generation) const {
    Sstable sstable;
    sstable.folder = dir_.path();
    sstable.name_prefix = "nb-" + generation + "-big-";
    WriteFile(sstable.Path("Index.db"), "index");
    WriteFile(sstable.Path("Filter.db"), "old");
    return sstable;
  }

  // Returns "" if the files of the SSTable were kept.
  std::string Keep(const Sstable& sstable) {
    try {
      backup_.Keep(sstable, /*new_filter=*/1);
      return "";
    } catch (const MendEnd& end) {
      return (end.ends_run ? "ends the run: " : "") + end.reason;
    }
  }

  const TempDir dir_;
  RunBackup backup_{dir_ / "old"};
};

TEST_F(RunBackupTest, KeepsTheMode) {
  const Sstable sstable = Make("1");
  fs::permissions(sstable.Path("Filter.db"), fs::perms(0460));
  ASSERT_EQ(Keep(sstable), "");
  const std::string filter = fs::canonical(sstable.Path("Filter.db")).string();
  EXPECT_EQ(fs::status(backup_.folder() + filter).permissions(),
            fs::perms(0460));
}

TEST_F(RunBackupTest, ALineThatCannotBeWritten) {
  ASSERT_EQ(Keep(Make("1")), "");
  {
    const FileSizeLimit limit(fs::file_size(backup_.folder() + "/list") + 10);
    EXPECT_THAT(Keep(Make("2")), HasSubstr("ends the run: "));
  }
  std::string error;
  const auto filters = ReadRunList(backup_.folder(), &error);
  EXPECT_TRUE(filters && filters->size() == 1) << error;
}

TEST_F(RunBackupTest, AListThatCannotBeBegun) {
  {
    const FileSizeLimit limit(5);
    EXPECT_THAT(Keep(Make("1")), HasSubstr("ends the run: "));
  }
  EXPECT_EQ(backup_.folder(), "");
}

// What is wrong with one SSTable does not end the run.
TEST_F(RunBackupTest, AnSstableThatCannotBeKept) {
  const Sstable unreadable = Make("1");
  fs::remove(unreadable.Path("Filter.db"));
  fs::create_directory(unreadable.Path("Filter.db"));
  EXPECT_EQ(Keep(unreadable),
            fs::canonical(unreadable.Path("Filter.db")).string() +
                ": cannot read: Is a directory");
  Sstable in_two_lines = Make("2");
  in_two_lines.folder += "/a\nb";
  fs::create_directory(in_two_lines.folder);
  EXPECT_THAT(Keep(in_two_lines), HasSubstr("mend it with --no-backup"));
  EXPECT_EQ(backup_.folder(), "");
}

}  // namespace
}  // namespace cassandra_bloom::tools
