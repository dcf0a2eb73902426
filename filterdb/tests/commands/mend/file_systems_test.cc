// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" and "filterdb install" on file systems that are full, or
// that have another device number after a reboot. Only root can mount them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileSystemsTest : public MendFixture {
 protected:
  // The mounts end with this process.
  void SetUp() override {
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "only root can mount";
    }
  }

  void TearDown() override {
    for (const std::string& folder : mounted_) {
      umount2(folder.c_str(), MNT_DETACH);
    }
  }

  void MountTmpfs(const std::string& folder,
                  const char* options = "size=512k,mode=0700") {
    fs::create_directory(folder);
    ASSERT_EQ(mount("none", folder.c_str(), "tmpfs", 0, options), 0);
    mounted_.push_back(folder);
  }

  static void Fill(const std::string& file) {
    RunProcess(
        {"/bin/dd", "if=/dev/zero", "of=" + file, "bs=4k", "status=none"});
  }

  bool MountLoop(const std::string& image, const std::string& folder) {
    mounted_.push_back(folder);
    return RunProcess({"/bin/mount", "-o", "loop", image, folder}).exit_code ==
           0;
  }

  std::vector<std::string> mounted_;
};

TEST_F(FileSystemsTest, AFullDataDirectory) {
  MountTmpfs(dir_ / "ks");
  Write(FilterFault::kKeysLeftOut);
  Exits(0, Mend());
  Fill(dir_ / "ks/filler");
  const auto files = Files();
  const Ran ran = Exits(3, Install());
  EXPECT_THAT(ran.err, HasSubstr("nothing was changed: " + dir_ / "ks/t1: at "
                                                                  "least "));
  EXPECT_THAT(ran.err, HasSubstr("are needed on its file system, and 0 are"));
  EXPECT_TRUE(Files() == files);
  fs::remove(dir_ / "ks/filler");
  Exits(0, Install());
  Exits(0, Scan());
}

// It says that 0 blocks are free.
TEST_F(FileSystemsTest, AFileSystemWithoutALimit) {
  MountTmpfs(dir_ / "ks", "size=0,mode=0700");
  Write(FilterFault::kKeysLeftOut);
  Exits(0, Mend());
  Exits(0, Install());
  Exits(0, Scan());
}

// The old filter cannot be kept, so the new one gets no name.
TEST_F(FileSystemsTest, AFullFolderOfTheRun) {
  MountTmpfs(run());
  Write(FilterFault::kKeysLeftOut);
  Exits(0, Mend());
  Fill(run() + "/filler");
  const auto files = Files();
  EXPECT_THAT(Exits(2, Install()).out,
              HasSubstr("/old/1: cannot write: No space left on device"));
  EXPECT_TRUE(Files() == files);
  fs::remove(run() + "/filler");
  Exits(0, Install());
  Exits(0, Scan());
  Exits(2, Undo());
  EXPECT_TRUE(Files() == files);
}

// A rehearsal promises nothing that the file system does not allow.
TEST_F(FileSystemsTest, WhereTheFileSystemDoesNotTell) {
  const SstableSpec bad = SpecOf("nb", FilterFault::kKeysLeftOut);
  const WrittenSstable one = Write(bad, "ks/t2");
  const std::string t2 = dir_ / "ks/t2";
  fs::create_directory(dir_ / "upper");
  fs::create_directory(dir_ / "work");
  const std::string options = "lowerdir=" + t2 + ",upperdir=" + dir_ / "upper" +
                              ",workdir=" + dir_ / "work";
  if (mount("none", t2.c_str(), "overlay", 0, options.c_str()) != 0) {
    GTEST_SKIP() << "overlayfs cannot be mounted";
  }
  mounted_.push_back(t2);
  Exits(0, Mend());
  const std::string install = "install " + run();
  const std::string reason = "the file system or the kernel does not tell";
  const Ran ran = Exits(3, FilterdbAsGiven(install));
  EXPECT_THAT(ran.err, HasSubstr("nothing was changed: " + one.Path("Data.db") +
                                 ": " + reason + " here whether a process"));
  EXPECT_THAT(ran.err, HasSubstr("then give --node-is-down\n"));
  const Ran dry_run = Exits(2, FilterdbAsGiven(install + " --dry-run"));
  EXPECT_THAT(dry_run.out, HasSubstr("1 would be installed\n"));
  EXPECT_THAT(dry_run.err, HasSubstr("the install would not begin: " +
                                     one.Path("Data.db") + ": " + reason));
  EXPECT_EQ(Exits(2, Install("--dry-run")).err, "");
  EXPECT_THAT(Exits(0, Install()).out, HasSubstr("--undo --node-is-down\n"));
  Exits(3, FilterdbAsGiven(install + " --undo"));
  Exits(0, Scan());
  EXPECT_THAT(Exits(2, Undo()).out, HasSubstr("1 put back\n"));

  // Before the first change, only a few SSTables are asked, here those of t1.
  // Of the others, no filter is kept.
  for (const std::string generation : {"1", "2", "3"}) {
    Write(FilterFault::kKeysLeftOut, generation);
  }
  NextRun();
  Exits(0, Mend());
  const Ran both = Exits(2, FilterdbAsGiven("install " + run()));
  EXPECT_THAT(both.out, HasSubstr("3 installed, 1 left\n"));
  EXPECT_THAT(both.out, HasSubstr(one.Path("Filter.db") +
                                  ": hides rows: left: " + reason));
  EXPECT_TRUE(fs::exists(run() + "/old/3"));
  EXPECT_FALSE(fs::exists(run() + "/old/4"));
}

// An SSTable is known by its inode, size and time, not by the device.
TEST_F(FileSystemsTest, ARebootBetweenMendAndInstall) {
  const std::string ks = dir_ / "ks";
  fs::create_directory(ks);
  fs::create_directory(dir_ / "other");
  for (const std::string& image : {dir_ / "image", dir_ / "image2"}) {
    WriteFile(image, "");
    fs::resize_file(image, 16 << 20);
    if (RunProcess({"/sbin/mkfs.ext4", "-q", image}).exit_code != 0) {
      GTEST_SKIP() << "no mkfs.ext4";
    }
  }
  if (!MountLoop(dir_ / "image", ks)) {
    GTEST_SKIP() << "no loop devices";
  }
  Write(FilterFault::kKeysLeftOut);
  Exits(0, Mend());
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat(ks.c_str(), &before), 0);
  ASSERT_EQ(umount2(ks.c_str(), 0), 0);
  ASSERT_TRUE(MountLoop(dir_ / "image2", dir_ / "other"));
  ASSERT_TRUE(MountLoop(dir_ / "image", ks));
  ASSERT_EQ(stat(ks.c_str(), &after), 0);
  if (before.st_dev == after.st_dev) {
    GTEST_SKIP() << "the same device number";
  }
  Exits(0, Install());
  Exits(0, Scan());
  Exits(2, Undo());
}

}  // namespace
}  // namespace cassandra_bloom::testing
