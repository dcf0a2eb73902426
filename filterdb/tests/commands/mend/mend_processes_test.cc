// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" where it cannot examine all processes.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A process of the user nobody that has `file` open.
class ProcessOfNobody {
 public:
  explicit ProcessOfNobody(const std::string& file) {
    int started[2];
    EXPECT_EQ(pipe(started), 0);
    pid_ = fork();
    if (pid_ == 0) {
      constexpr uid_t kNobody = 65534;
      if (open(file.c_str(), O_RDONLY) >= 0 &&
          setresuid(kNobody, kNobody, kNobody) == 0 &&
          write(started[1], "1", 1) == 1) {
        pause();
      }
      _exit(1);
    }
    close(started[1]);
    char byte;
    EXPECT_EQ(read(started[0], &byte, 1), 1);
    close(started[0]);
  }
  ~ProcessOfNobody() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ProcessOfNobody(const ProcessOfNobody&) = delete;
  ProcessOfNobody& operator=(const ProcessOfNobody&) = delete;

 private:
  pid_t pid_;
};

class MendProcessesTest : public ::testing::Test {
 protected:
  MendProcessesTest() {
    SstableSpec spec;
    std::filesystem::create_directory(dir_ / "t1");
    spec.folder = dir_ / "t1";
    spec.keys = {"alice", "bob", "carol"};
    spec.fault = FilterFault::kKeysLeftOut;
    sstable_ = WriteSstable(spec);
  }

  std::string Filter() const { return ReadFile(sstable_.Path("Filter.db")); }

  Ran Mend(const std::string& options, const std::string& before = "") const {
    return FilterdbAsGiven("mend " + options + " " + dir_ / "t1", before);
  }

  const TempDir dir_;
  WrittenSstable sstable_;
};

// A prefix that takes CAP_SYS_PTRACE from a command. Most containers lack this
// capability.
constexpr char kWithoutPtrace[] = "setpriv --bounding-set=-sys_ptrace ";

TEST_F(MendProcessesTest, RootThatMayNotTrace) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can start a process of another user";
  }
  const ProcessOfNobody node(sstable_.Path("Data.db"));
  const std::string before = Filter();
  const auto left = ContainsRegex(
      "left: process [0-9]+ \\(.+\\) cannot be examined: "
      "/proc/[0-9]+/fd.*: Permission denied.*as root, with the capability "
      "CAP_SYS_PTRACE, or give --ignore-unseen-processes");
  for (const std::string options :
       {"--in-place", "--dry-run", "--in-place --dry-run"}) {
    const Ran ran = Mend(options, kWithoutPtrace);
    EXPECT_EQ(ran.exit_code, 1) << ran;
    EXPECT_THAT(ran.out, left);
    EXPECT_EQ(Filter(), before);
  }
  EXPECT_EQ(Mend("--out-dir=" + dir_ / "out", kWithoutPtrace).exit_code, 0);

  const std::string ignore = "--ignore-unseen-processes ";
  EXPECT_EQ(Mend(ignore + "--in-place", kWithoutPtrace).exit_code, 0);
  const std::string mended = Filter();
  EXPECT_NE(mended, before);
  const Ran undo = Mend("--undo", kWithoutPtrace);
  EXPECT_EQ(undo.exit_code, 1) << undo;
  EXPECT_THAT(undo.out, left);
  EXPECT_EQ(Filter(), mended);
  EXPECT_EQ(Mend(ignore + "--undo", kWithoutPtrace).exit_code, 0);
  EXPECT_EQ(Filter(), before);
}

// With --ignore-unseen-processes, filterdb mend must still examine each process
// that it can examine.
TEST_F(MendProcessesTest, AFileOfAnotherUsersProcess) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can start a process of another user";
  }
  const ProcessOfNobody node(sstable_.Path("Data.db"));
  const Ran ran = Mend("--in-place --ignore-unseen-processes");
  if (ran.exit_code == 0) {
    GTEST_SKIP() << "without the capability CAP_SYS_PTRACE";
  }
  EXPECT_THAT(ran.out, HasSubstr("has its Data.db open"));
}

TEST_F(MendProcessesTest, ProcThatHidesProcesses) {
  const std::string unshare = "unshare --mount sh -c '";
  const std::string hide = "mount -t proc -o hidepid=2 proc /proc && ";
  if (RunProcess({"/bin/sh", "-c", unshare + hide + "true'"}).exit_code != 0) {
    GTEST_SKIP() << "/proc cannot be mounted here";
  }
  const auto mend = [&](const std::string& before) {
    return FilterdbAsGiven("mend --dry-run " + dir_ / "t1" + "'",
                           unshare + before);
  };
  const Ran hidden = mend(hide + kWithoutPtrace);
  EXPECT_THAT(hidden.out, HasSubstr("left: /proc hides processes"));
#ifndef CASSANDRA_BLOOM_SANITIZED  // The sanitizers need /proc.
  const Ran missing = mend("umount -l /proc && ");
  EXPECT_THAT(missing.out, HasSubstr("left: /proc is not mounted"));
  EXPECT_THAT(missing.out, HasSubstr(prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE) == 1
                                         ? "; see that the node is down"
                                         : "CAP_SYS_PTRACE"));
  EXPECT_THAT(mend("umount -l /proc && " + std::string(kWithoutPtrace)).out,
              HasSubstr("as root, with the capability CAP_SYS_PTRACE"));
#endif
}

}  // namespace
}  // namespace cassandra_bloom::testing
