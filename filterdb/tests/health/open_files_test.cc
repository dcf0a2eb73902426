// SPDX-License-Identifier: Apache-2.0

// Tests OpenFiles with folders that imitate /proc.

#include "filterdb/health/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tools::OpenFiles;

constexpr char kKernelThread[] = "2129984";  // PF_KTHREAD and two other flags.
constexpr char kOtherFlags[] = "4194304";

class OpenFilesTest : public ::testing::Test {
 protected:
  OpenFilesTest() {
    WriteFile(file_, "");
    AddProcess("10");
    fs::create_symlink("10", dir_ / "self");
    AddProcess("1");
  }

  void AddProcess(const std::string& pid, const std::string& name = "java",
                  const std::string& state = "S",
                  const std::string& flags = kOtherFlags,
                  const std::string& num_threads = "1") {
    fs::create_directories(dir_ / pid + "/fd");
    WriteFile(dir_ / pid + "/comm", name + "\n");
    WriteFile(dir_ / pid + "/stat",
              pid + " (" + name + ") " + state + " 1 2 2 0 -1 " + flags +
                  " 3 4 5 6 7 8 9 10 20 0 " + num_threads + " 0 11\n");
  }

  // Makes it impossible to list the open files of the process.
  void HideFiles(const std::string& pid) {
    fs::remove_all(dir_ / pid + "/fd");
    WriteFile(dir_ / pid + "/fd", "");
  }

  std::string Unseen() const { return OpenFiles(dir_.path()).Unseen(); }

  const TempDir dir_;
  const std::string file_ = dir_ / "Data.db";
};

TEST_F(OpenFilesTest, UserOfAFile) {
  AddProcess("12");
  EXPECT_EQ(OpenFiles(dir_.path()).UserOf(file_), 0);
  fs::create_symlink(file_, dir_ / "12/fd/3");
  EXPECT_EQ(OpenFiles(dir_.path()).UserOf(file_), 12);
  EXPECT_EQ(OpenFiles(dir_.path()).UserOf(dir_ / "none"), 0);
  EXPECT_EQ(Unseen(), "");
}

TEST_F(OpenFilesTest, ThisProcess) {
  fs::create_symlink(file_, dir_ / "10/fd/3");
  EXPECT_EQ(OpenFiles(dir_.path()).UserOf(file_), 0);
}

TEST_F(OpenFilesTest, EndsMeanwhile) {
  AddProcess("12");
  fs::remove_all(dir_ / "12/fd");
  AddProcess("13");
  fs::create_symlink(dir_ / "closed", dir_ / "13/fd/3");
  EXPECT_EQ(Unseen(), "");
}

TEST_F(OpenFilesTest, CannotBeExamined) {
  AddProcess("12");
  HideFiles("12");
  EXPECT_EQ(Unseen(), "process 12 (java) cannot be examined: " +
                          dir_ / "12/fd: Not a directory");
  AddProcess("13");
  HideFiles("13");
  AddProcess("14");
  HideFiles("14");
  EXPECT_THAT(Unseen(), HasSubstr(" (and 2 more)"));
}

TEST_F(OpenFilesTest, AFileThatCannotBeExamined) {
  AddProcess("12");
  fs::create_symlink("3", dir_ / "12/fd/3");
  EXPECT_THAT(Unseen(), HasSubstr("/12/fd/3: Too many levels"));
}

TEST_F(OpenFilesTest, NamesOfProcesses) {
  AddProcess("12", "a\033[2Jb\xff");
  HideFiles("12");
  EXPECT_THAT(Unseen(), HasSubstr("process 12 (a?[2Jb?) cannot"));
}

TEST_F(OpenFilesTest, ThreadsOfTheKernelAndZombiesHaveNoFiles) {
  AddProcess("12", "kthreadd", "S", kKernelThread);
  AddProcess("13", "java", "Z");
  HideFiles("12");
  HideFiles("13");
  EXPECT_EQ(Unseen(), "");
  // The name of this process looks like the other fields of the file "stat".
  AddProcess("14", "a) Z 1 2 2 0 -1 2129984", "S");
  HideFiles("14");
  EXPECT_THAT(Unseen(), HasSubstr("process 14"));
}

TEST_F(OpenFilesTest, StatusThatCannotBeRead) {
  AddProcess("12", "java", "Z");
  HideFiles("12");
  for (const char* const status :
       {"", "12", "12 (java) Z", "12 (java) Z 1 2"}) {
    WriteFile(dir_ / "12/stat", status);
    EXPECT_THAT(Unseen(), HasSubstr("process 12"));
  }
}

TEST_F(OpenFilesTest, FirstThreadHasEnded) {
  AddProcess("12", "java", "Z", kOtherFlags, "2");
  fs::create_directories(dir_ / "12/task/12/fd");
  fs::create_directories(dir_ / "12/task/13/fd");
  fs::create_symlink(file_, dir_ / "12/task/13/fd/3");
  EXPECT_EQ(OpenFiles(dir_.path()).UserOf(file_), 12);
  EXPECT_EQ(Unseen(), "");
  HideFiles("12");
  EXPECT_THAT(Unseen(), HasSubstr("process 12"));
}

TEST_F(OpenFilesTest, ProcDoesNotShowAllProcesses) {
  fs::remove_all(dir_ / "1");
  EXPECT_THAT(Unseen(), HasSubstr("hides processes"));
  fs::remove(dir_ / "self");
  EXPECT_THAT(Unseen(), HasSubstr("is not mounted"));
  const TempDir empty;
  EXPECT_THAT(OpenFiles(empty.path()).Unseen(), HasSubstr("is not mounted"));
  EXPECT_THAT(OpenFiles(empty / "none").Unseen(), HasSubstr("is not mounted"));
}

TEST_F(OpenFilesTest, WhatToDoAboutUnseen) {
  EXPECT_THAT(OpenFiles::WhatToDoAboutUnseen(true),
              HasSubstr("a container or a security module forbids it; see that "
                        "the node is down"));
  EXPECT_THAT(OpenFiles::WhatToDoAboutUnseen(false),
              HasSubstr("as root, with the capability CAP_SYS_PTRACE"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
