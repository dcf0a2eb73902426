// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using namespace cassandra_bloom::testing;

class OutputFileTest : public ::testing::Test {
 protected:
  // Returns the error, or "" if the file was written.
  static std::string Write(const std::string& path, bool overwrite) {
    std::string error;
    const bool is_written = WriteOutput(
        path, overwrite, [](const Append& append) { return append("new", 3); },
        &error);
    EXPECT_EQ(is_written, error.empty());
    return error;
  }

  const TempDir dir_;
};

TEST_F(OutputFileTest, ARegularFile) {
  EXPECT_EQ(Write(dir_ / "file", /*overwrite=*/false), "");
  EXPECT_EQ(ReadFile(dir_ / "file"), "new");
  WriteFile(dir_ / "file", "old");
  EXPECT_EQ(Write(dir_ / "file", /*overwrite=*/false),
            dir_ / "file" + ": exists; --force overwrites it");
  EXPECT_EQ(ReadFile(dir_ / "file"), "old");
  EXPECT_EQ(Write(dir_ / "file", /*overwrite=*/true), "");
  EXPECT_EQ(ReadFile(dir_ / "file"), "new");
}

TEST_F(OutputFileTest, WhatIsLeftAlone) {
  fs::create_directory(dir_ / "folder");
  MakeSocket(dir_ / "socket");
  MakeFifo(dir_ / "fifo");
  fs::create_symlink("folder", dir_ / "link");
  const std::string rest =
      ", which is left alone; give a file, or - for standard output";
  const auto names = dir_.Names();
  for (const bool overwrite : {false, true}) {
    for (const std::string name : {"folder", "link"}) {
      EXPECT_EQ(Write(dir_ / name, overwrite),
                dir_ / name + ": is a folder" + rest);
    }
    EXPECT_EQ(Write(dir_ / "socket", overwrite),
              dir_ / "socket" + ": is a socket" + rest);
    EXPECT_NE(Write(dir_ / "fifo", overwrite).find(rest), std::string::npos);
    EXPECT_NE(Write("/dev/null", overwrite).find(rest), std::string::npos);
  }
  EXPECT_EQ(dir_.Names(), names);
}

TEST_F(OutputFileTest, Links) {
  fs::create_directory(dir_ / "folder");
  WriteFile(dir_ / "folder/file", "old");
  fs::create_symlink("folder/file", dir_ / "link");
  fs::create_symlink("folder/new", dir_ / "to_nothing");
  fs::create_symlink("circle", dir_ / "circle");
  EXPECT_NE(Write(dir_ / "link", /*overwrite=*/false), "");
  EXPECT_EQ(Write(dir_ / "circle", /*overwrite=*/true),
            dir_ / "circle" +
                ": cannot follow the symbolic link: Too many levels of "
                "symbolic links");
  EXPECT_EQ(Write(dir_ / "link", /*overwrite=*/true), "");
  EXPECT_EQ(Write(dir_ / "to_nothing", /*overwrite=*/false), "");
  EXPECT_EQ(ReadFile(dir_ / "folder/file"), "new");
  EXPECT_EQ(ReadFile(dir_ / "folder/new"), "new");
  for (const char* const link : {"link", "to_nothing", "circle"}) {
    EXPECT_TRUE(fs::is_symlink(dir_ / link)) << link;
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
