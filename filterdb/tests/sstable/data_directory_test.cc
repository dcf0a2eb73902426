// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kId = "5a1c395c6f9511ee8e8b0f9a4e1c2b3d";

TEST(TableFolderNameTest, EndsInAnId) {
  EXPECT_TRUE(IsTableFolderName("t1-" + kId));
  EXPECT_TRUE(IsTableFolderName("a-b-" + kId));
  for (const std::string& name :
       {std::string("t1"), kId, "-" + kId, "t1-" + kId.substr(1),
        "t1-" + kId + "0", "t1-" + kId + "/", "t1-g" + kId.substr(1),
        "t1_" + kId, std::string()}) {
    EXPECT_FALSE(IsTableFolderName(name)) << name;
  }
}

class DataDirectoryTest : public ::testing::Test {
 protected:
  void AddTable(const std::string& folder) const {
    fs::create_directories(dir_ / folder);
    testing::WriteFile(dir_ / folder + "/nb-1-big-Data.db", "");
  }

  const testing::TempDir dir_;
};

TEST_F(DataDirectoryTest, Levels) {
  AddTable("data/ks1/t1");
  AddTable("data/ks2/t1");
  AddTable("disk/t2");
  fs::create_directories(dir_ / "empty/empty");
  fs::create_directories(dir_ / "ids/t3-" + kId);
  const auto is_below = [&](const std::string& folder,
                            const std::string& parent) {
    return IsOneLevelBelow(dir_ / folder, dir_ / parent);
  };
  EXPECT_TRUE(is_below("disk/t2", "data/ks1"));
  EXPECT_TRUE(is_below("ids/t3-" + kId, "data/ks1"));
  EXPECT_TRUE(is_below("disk", "data"));
  EXPECT_TRUE(is_below("ids", "data"));
  EXPECT_FALSE(is_below("disk/t2", "data"));
  EXPECT_FALSE(is_below("disk", "data/ks1"));
  EXPECT_FALSE(is_below("data", "data/ks1"));
  EXPECT_FALSE(is_below("empty", "data"));
  for (const std::string folder : {"disk/t2", "disk", "data"}) {
    EXPECT_TRUE(is_below(folder, "empty")) << folder;
  }
  EXPECT_FALSE(IsOneLevelBelow(dir_.path(), dir_ / "empty"));
  EXPECT_FALSE(IsOneLevelBelow("/proc", dir_ / "empty"));
}

TEST_F(DataDirectoryTest, CopiesOfATable) {
  const std::string table = dir_ / "ks/t1-" + kId;
  EXPECT_THAT(CopiesOfTableIn(table), IsEmpty());
  EXPECT_THAT(CopiesOfTableIn(table + "/snapshots/daily"),
              ElementsAre("snapshots"));
  EXPECT_THAT(CopiesOfTableIn(table + "/backups"), ElementsAre("backups"));
  // This folder "backups" is a keyspace and not the copy of a table.
  EXPECT_THAT(CopiesOfTableIn(dir_ / "backups/t1-" + kId), IsEmpty());
  AddTable("ks/t2");
  EXPECT_THAT(CopiesOfTableIn(dir_ / "ks/t2/backups"), ElementsAre("backups"));
}

}  // namespace
}  // namespace cassandra_bloom::tools
