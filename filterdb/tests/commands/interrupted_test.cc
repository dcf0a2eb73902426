// SPDX-License-Identifier: Apache-2.0

// Tests signals that end filterdb while it writes.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "tests/support/filterdb_command.h"
#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

class InterruptedTest : public ::testing::Test {
 protected:
  InterruptedTest() { WriteFile(dir_ / "keys", "61\n"); }

  // Starts to build a large filter, because writing it takes some time. If
  // `ignored` is not 0, the process ignores this signal from the start.
  pid_t Start(int ignored = 0) const {
    const pid_t pid = fork();
    if (pid != 0) {
      return pid;
    }
    if (ignored != 0) {
      signal(ignored, SIG_IGN);
    }
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    if (chdir(dir_.path().c_str()) == 0) {
      execl(CASSANDRA_BLOOM_FILTERDB, "filterdb", "build", "--keys=keys",
            "--bits=10", "--expected-keys=60000000", "--force",
            "--out=nb-1-big-Filter.db", nullptr);
    }
    _exit(127);
  }

  // Stops the process while it writes its temporary file. Returns false if the
  // process ended before.
  bool StopWhileItWrites(pid_t pid) const {
    while (!IsWriting()) {
      if (waitid(P_PID, static_cast<id_t>(pid), &ended_,
                 WEXITED | WNOHANG | WNOWAIT) != 0 ||
          ended_.si_pid == pid) {
        return false;
      }
      std::this_thread::yield();
    }
    kill(pid, SIGSTOP);
    int status = 0;
    waitpid(pid, &status, WUNTRACED);
    return WIFSTOPPED(status) && IsWriting();
  }

  // Returns whether filterdb has begun to write its temporary file. An empty
  // file does not count, because filterdb may not have locked it yet.
  bool IsWriting() const {
    const Names names = dir_.Names();
    return std::any_of(names.begin(), names.end(), [this](const auto& name) {
      std::error_code gone;
      const uintmax_t size = fs::file_size(dir_ / name, gone);
      return name.rfind("nb-1-big-Filter.db.", 0) == 0 && !gone && size > 0;
    });
  }

  int Interrupt(int number, int ignored = 0) const {
    for (;;) {
      const pid_t pid = Start(ignored);
      const bool is_in_the_middle = StopWhileItWrites(pid);
      kill(pid, number);
      kill(pid, SIGCONT);
      int status = 0;
      waitpid(pid, &status, 0);
      if (is_in_the_middle) {
        return status;
      }
    }
  }

  const TempDir dir_;

 private:
  mutable siginfo_t ended_ = {};
};

TEST_F(InterruptedTest, SaysTheSignalAndLeavesTheOldFile) {
  WriteFile(dir_ / "nb-1-big-Filter.db", "old");
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = Interrupt(number);
    ASSERT_TRUE(WIFSIGNALED(status)) << number << ": " << status;
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_EQ(ReadFile(dir_ / "nb-1-big-Filter.db"), "old");
    fs::remove(dir_ / "nb-1-big-Filter.db.cassandra_bloom-new");
  }
}

// nohup ignores SIGHUP before it starts a program.
TEST_F(InterruptedTest, ASignalThatIsIgnoredStaysSo) {
  const int status = Interrupt(SIGHUP, /*ignored=*/SIGHUP);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(dir_.Names(), (Names{"keys", "nb-1-big-Filter.db"}));
}

TEST_F(InterruptedTest, TheNextRunRemovesWhatOneLeft) {
  Interrupt(SIGKILL);
  ASSERT_EQ(dir_.Names().size(), 2U);
  Exits(0, Filterdb("build --keys=keys --bits=10 "
                    "--out=nb-1-big-Filter.db",
                    "cd " + dir_.path() + ";"));
  EXPECT_EQ(dir_.Names(), (Names{"keys", "nb-1-big-Filter.db"}));
}

// filterdb locks the file that it writes. Another run for the same file must
// not remove a locked file, and waits for it no longer than 5 seconds.
TEST_F(InterruptedTest, TheNextRunLeavesWhatIsBeingWritten) {
  const pid_t pid = Start();
  if (!StopWhileItWrites(pid)) {
    GTEST_SKIP() << "filterdb ended before it could be stopped";
  }
  const Names before = dir_.Names();
  const Ran second =
      Filterdb("build --keys=keys --bits=10 --out=nb-1-big-Filter.db",
               "cd " + dir_.path() + ";");
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, ::testing::HasSubstr("cannot create a temporary"));
  EXPECT_EQ(dir_.Names(), before);
  kill(pid, SIGCONT);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(dir_.Names(), (Names{"keys", "nb-1-big-Filter.db"}));
  EXPECT_GT(fs::file_size(dir_ / "nb-1-big-Filter.db"), 75000000);
}

// The next run must keep files whose names only resemble those of temporary
// files.
TEST_F(InterruptedTest, TheNextRunLeavesTheRest) {
  const std::string file = "nb-1-big-Filter.db";
  fs::create_directory(dir_ / "folder");
  const Names others = {
      file + ".tmp",
      file + ".tmp20261123",  // Could be a user's file.
      file + ".cassandra_bloom-",
      file + ".cassandra_bloom-newer",
      file + "cassandra_bloom-new",
      "x" + file + ".cassandra_bloom-new",
      "nb-2-big-Filter.db.cassandra_bloom-new",
  };
  for (const std::string& name : others) {
    WriteFile(dir_ / ("folder/" + name), "other");
  }
  WriteFile(dir_ / ("folder/" + file + ".cassandra_bloom-new"), "left");
  fs::create_symlink("folder/" + file, dir_ / file);
  Exits(0, Filterdb("build --keys=keys --bits=10 --out=" + file,
                    "cd " + dir_.path() + ";"));
  Names expected = others;
  expected.insert(file);
  Names now;
  for (const auto& entry : fs::directory_iterator(dir_ / "folder")) {
    now.insert(entry.path().filename());
  }
  EXPECT_EQ(now, expected);
}

}  // namespace
}  // namespace cassandra_bloom::testing
