// SPDX-License-Identifier: Apache-2.0

// Kills processes that use the database, and checks what they leave. The
// processes are forked by a process that itself opens the database only at the
// end: a forked process has no threads, so RocksDB must have started none.

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "tests/stress/random/blame.h"
#include "tests/stress/random/failure.h"
#include "tests/stress/random/trial.h"
#include "tests/stress/random/witness.h"

namespace cassandra_bloom::testing {

// In memory that is shared with the forked processes.
struct Trial::Progress {
  // The number of the last change that was made, as the writer says.
  std::atomic<uint64_t> acknowledged{0};
  // The number of the last change that is in the database.
  uint64_t found = 0;
  TrialCounts counts;
};

namespace {

// A forked process, which does the work, reports, and ends. The destructor
// kills it.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    std::fflush(nullptr);  // The child would write the same again.
    pid_ = fork();
    if (pid_ < 0) {
      throw Failure("fork", "no process");
    }
    if (pid_ == 0) {
      // The parent may end by its time limit.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      _exit(RunAndReport(work));
    }
  }
  ~Child() { Kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool HasEnded() {
    if (pid_ != 0 && waitpid(pid_, &status_, WNOHANG) == pid_) {
      pid_ = 0;
    }
    return pid_ == 0;
  }
  void Kill() {
    if (pid_ != 0) {
      kill(pid_, SIGKILL);
      Succeeds();
    }
  }
  bool Succeeds() {
    waitpid(std::exchange(pid_, 0), &status_, 0);
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace

void Trial::WriteUntilKilled(Progress* progress) {
  Open();
  for (;;) {
    DoOne();
    progress->acknowledged = written_.number;
  }
}

// All acknowledged changes must be in the database, and perhaps one more, which
// was made but not acknowledged.
void Trial::CheckAfterKill(Progress* progress) {
  while (written_.number < progress->acknowledged) {
    writes_.Next();
  }
  Open();
  try {
    CheckRows("after a kill");
  } catch (const WrongRows& without) {
    writes_.Next();
    try {
      CheckRows("with a change that was not acknowledged");
    } catch (const WrongRows& with) {
      throw WrongRows(without.what(), with.what());
    }
  }
  progress->found = written_.number;
  CloseDb();
  progress->counts = counts_;
}

void Trial::RunWithKills() {
  FiltersAreMissed();
  void* const memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Failure("mmap", "no memory");
  }
  auto* const progress = new (memory) Progress;
  for (uint64_t round = 1; round <= settings_.kills; ++round) {
    if (round > 1) {
      ChangeFamilies(&configuration_draws_, &configuration_);
    }
    Child writer([&] { WriteUntilKilled(progress); });
    // Sometimes kills it while it opens the database.
    const bool is_early = draws_.OneIn(6);
    while (!is_early && progress->acknowledged == written_.number &&
           !writer.HasEnded()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(draws_.Below(is_early ? 50000 : 300000)));
    if (writer.HasEnded()) {
      throw Failure("a process ended that was to be killed", "");
    }
    writer.Kill();
    if (!Child([&] { CheckAfterKill(progress); }).Succeeds()) {
      throw Failure("a check failed after a kill", std::to_string(round));
    }
    counts_ = progress->counts;
    counts_.operations += progress->found - written_.number;
    while (written_.number < progress->found) {
      writes_.Next();
    }
    progress->acknowledged = written_.number;
  }
#ifdef CASSANDRA_BLOOM_SST_FILTERS
  CheckByDoctor();
#endif
}

}  // namespace cassandra_bloom::testing
