// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/lease.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "filterdb/mending/outcome.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::RunProcess;
using testing::TempDir;
using testing::WriteFile;

// A child process. It calls `begin`, tells the parent that it has, and waits.
// If `begin` becomes another program, that must write a byte to `told`.
class Child {
 public:
  explicit Child(const std::function<void(int told)>& begin) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      begin(ends[1]);
      _exit(write(ends[1], "1", 1) == 1 ? pause() : 1);
    }
    close(ends[1]);
    begun_ = ends[0];
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(begun_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void WaitUntilBegun() const {
    char byte;
    EXPECT_EQ(read(begun_, &byte, 1), 1);
  }

 private:
  pid_t pid_;
  int begun_;
};

// Who has Data.db open.
enum class User { kNobody, kOpen, kMapped, kLink, kOtherPidNamespace };

void Use(User user, const std::string& data) {
  const std::string link = data + ".link";
  if (user == User::kLink) {
    EXPECT_EQ(::link(data.c_str(), link.c_str()), 0);
  }
  if (user == User::kOtherPidNamespace && unshare(CLONE_NEWPID) == 0) {
    if (fork() != 0) {
      pause();
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Ends with the child process.
  }
  const int fd =
      open(user == User::kLink ? link.c_str() : data.c_str(), O_RDONLY);
  if (user == User::kMapped) {
    mmap(nullptr, 1, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
  }
}

class LeaseTest : public ::testing::Test {
 protected:
  // Makes a Data.db in `folder`, and returns its path.
  static std::string Make(const std::string& folder) {
    WriteFile(folder + "/nb-1-big-Data.db", "data");
    return folder + "/nb-1-big-Data.db";
  }

  // Returns "" if a lease can be had, otherwise the reason.
  static std::string Reason(const std::string& data,
                            bool node_is_down = false) {
    try {
      Lease(data, node_is_down).Check();
      return "";
    } catch (const End& end) {
      return end.kind == Outcome::kInUse ? "in use: " + end.reason : end.reason;
    }
  }

  // Expects that a lease shows who has a file open in `folder`.
  static void ExpectSeesUsers(const std::string& folder) {
    for (const User user : {User::kNobody, User::kOpen, User::kMapped,
                            User::kLink, User::kOtherPidNamespace}) {
      const TempDir dir(folder);
      const std::string data = Make(dir.path());
      SCOPED_TRACE(data + " " + std::to_string(static_cast<int>(user)));
      if (user == User::kNobody) {
        EXPECT_EQ(Reason(data), "");
        continue;
      }
      const Child child([&](int) { Use(user, data); });
      child.WaitUntilBegun();
      // Only root may ask which files a process has mapped.
      const bool may_know = user != User::kMapped || geteuid() == 0;
      for (const bool node_is_down : {false, true}) {
        EXPECT_THAT(Reason(data, node_is_down),
                    AllOf(HasSubstr("in use: "),
                          HasSubstr(may_know ? "filterdb_mendin" : "a process"),
                          HasSubstr("has its Data.db, or a snapshot of it")));
      }
    }
  }
};

// The folder for temporary files may be on any file system.
TEST_F(LeaseTest, SeesWhoHasTheFileOpen) {
  bool has_tested = false;
  for (const std::string& folder :
       {fs::temp_directory_path().string(), std::string("/dev/shm"),
        fs::current_path().string()}) {
    const TempDir dir(folder);
    if (Reason(Make(dir.path())).find("--node-is-down") == std::string::npos) {
      ExpectSeesUsers(folder);
      has_tested = true;
    }
  }
  EXPECT_TRUE(has_tested);
}

// Overlayfs and FUSE lease files that others have open. CASSANDRA_BLOOM_MOUNTS
// makes this test mount them, for which it must be root.
TEST_F(LeaseTest, FileSystemsThatAreNotTrusted) {
  if (getenv("CASSANDRA_BLOOM_MOUNTS") == nullptr) {
    GTEST_SKIP() << "CASSANDRA_BLOOM_MOUNTS is not set";
  }
  // The mounts end with this process.
  ASSERT_EQ(unshare(CLONE_NEWNS), 0) << "only root can mount";
  const TempDir dir("/dev/shm");
  const std::string make =
      "cd " + dir.path() + " && mount --make-rprivate / && ";
  const std::vector<std::vector<std::string>> mounts = {
      {"overlay",
       "mkdir lower upper work overlay && mount -t overlay none -o "
       "lowerdir=lower,upperdir=upper,workdir=work overlay"},
      {"fuse",
       "mkdir fuse && truncate -s 8M image && mkfs.ext4 -q image && "
       "fuse2fs image fuse"}};
  for (const auto& mount : mounts) {
    const auto ran = RunProcess({"/bin/sh", "-c", make + mount[1]});
    if (ran.exit_code != 0) {
      std::printf("skipped: %s: %s\n", mount[0].c_str(), ran.err.c_str());
      continue;
    }
    std::printf("tested: %s\n", mount[0].c_str());
    const std::string data = Make(dir / mount[0]);
    EXPECT_THAT(Reason(data), HasSubstr("then give --node-is-down"));
    EXPECT_EQ(Reason(data, /*node_is_down=*/true), "");
  }
  RunProcess({"/bin/sh", "-c", "cd " + dir.path() + " && umount overlay fuse"});
}

class HeldLeaseTest : public LeaseTest {
 protected:
  HeldLeaseTest() : dir_(testing::FolderInMemory()), data_(Make(dir_.path())) {}

  // Waits until Check throws.
  static bool IsBrokenInTime(const Lease& lease) {
    for (int i = 0; i < 500; ++i) {
      try {
        lease.Check();
      } catch (const End& end) {
        return end.kind == Outcome::kInUse;
      }
      usleep(10000);
    }
    return false;
  }

  const TempDir dir_;
  const std::string data_;
};

// Who opens the file waits. The lease shows that somebody does.
TEST_F(HeldLeaseTest, CheckSeesWhoWantsToOpen) {
  ASSERT_EQ(Reason(data_), "");
  for (const std::string redirection : {"9<", "9<>"}) {
    auto lease = std::make_unique<Lease>(data_, false);
    lease->Check();
    // A shell, because a mere fork would keep the lease's descriptor open.
    const Child child([&](int told) {
      const std::string command = "exec " + redirection + data_ + "; echo >&" +
                                  std::to_string(told) + "; exec sleep 60";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    });
    EXPECT_TRUE(IsBrokenInTime(*lease));
    // Another run of filterdb does not wait.
    EXPECT_THAT(Reason(data_), HasSubstr("in use: "));
    lease.reset();
    child.WaitUntilBegun();
    EXPECT_THAT(Reason(data_), HasSubstr("in use: "));
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
