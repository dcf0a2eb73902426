// SPDX-License-Identifier: Apache-2.0

// Kills runs of "filterdb mend" at random times, and starts several runs at
// once. Each filter must be the old or the new one of its SSTable. --undo must
// put all old filters back. CASSANDRA_BLOOM_KILLS sets the number of rounds.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

int Rounds() {
  const char* const given = getenv("CASSANDRA_BLOOM_KILLS");
  return given == nullptr ? 5 : std::stoi(given);
}

// The bytes of each Filter.db, or "" if the file does not exist.
using Filters = std::map<std::string, std::string>;

class MendKillTest : public MendFixture {
 protected:
  static constexpr int kSstables = 12;

  MendKillTest() : random_(Seed()) {
    for (int i = 1; i <= kSstables; ++i) {
      SstableSpec spec;
      spec.generation = std::to_string(i);
      spec.fault =
          i % 4 == 0 ? FilterFault::kMissing : FilterFault::kBitsCleared;
      // All SSTables have the same number of keys, so that their filters differ
      // only in bits.
      for (int key = 0; key < 1000; ++key) {
        spec.keys.push_back(std::to_string(i) + "key" + std::to_string(key));
      }
      Write(spec, "ks/t" + std::to_string(i % 3));
    }
    fs::copy(dir_ / "ks", dir_ / "template", fs::copy_options::recursive);
    old_ = FiltersNow();
    time_of_mend_ = TimeOf("--in-place");
    new_ = FiltersNow();
    time_of_undo_ = TimeOf("--undo");
  }

  Clock::duration TimeOf(const std::string& action) const {
    const auto begin = Clock::now();
    EXPECT_EQ(Mend(action).exit_code, 0);
    return Clock::now() - begin;
  }

  void Restore() {
    fs::remove_all(dir_ / "ks");
    fs::remove_all(dir_ / "old");
    fs::copy(dir_ / "template", dir_ / "ks", fs::copy_options::recursive);
  }

  Filters FiltersNow() const {
    Filters filters;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "ks")) {
      const std::string path = entry.path();
      const size_t data = path.rfind("-Data.db");
      if (data != std::string::npos) {
        const std::string filter = path.substr(0, data) + "-Filter.db";
        filters[filter] = fs::exists(filter) ? ReadFile(filter) : "";
      }
    }
    return filters;
  }

  std::string BackupOf(int round) const {
    return round % 2 == 0 ? "" : "--backup-dir=" + dir_ / "old";
  }

  pid_t Start(const std::string& action, const std::string& backup) const {
    const pid_t pid = fork();
    if (pid == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
      const std::string ks = dir_ / "ks";
      execl(CASSANDRA_BLOOM_FILTERDB, "filterdb", "mend", action.c_str(),
            "--ignore-unseen-processes", ks.c_str(),
            backup.empty() ? nullptr : backup.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }

  // Kills the process after a random time of at most `time`. Returns false if
  // the process ended before. After Rounds() rounds, the times get shorter, so
  // that a kill comes before the end.
  bool KillWithin(Clock::duration time, int round, pid_t pid) {
    time /= 1 << std::clamp(round - Rounds(), 0, 20);
    const auto limit =
        std::chrono::duration_cast<std::chrono::microseconds>(time);
    std::this_thread::sleep_for(std::chrono::microseconds(
        NextRandom(&random_) % static_cast<uint64_t>(limit.count() + 1)));
    kill(pid, SIGKILL);
    return IsKilled(pid);
  }

  static bool IsKilled(pid_t pid) {
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 127)
        << CASSANDRA_BLOOM_FILTERDB " did not start";
    return WIFSIGNALED(status);
  }

  // Returns whether there is another round. A process may end before it is
  // killed. If no process was killed in Rounds() rounds, up to 20 more rounds
  // follow.
  bool GoesOn(int round, int num_killed) const {
    constexpr int kMaxMore = 20;
    return !HasFailure() && (round < Rounds() ||
                             (num_killed == 0 && round < Rounds() + kMaxMore));
  }

  void ExpectOldOrNew() const {
    for (const auto& [path, bytes] : FiltersNow()) {
      EXPECT_TRUE(bytes == old_.at(path) || bytes == new_.at(path)) << path;
    }
  }

  void ExpectUndone(const std::string& backup) const {
    // If filterdb mend was killed early, the backup folder may be empty.
    const bool may_fail = !backup.empty() && !HasFiles(dir_ / "old");
    const Ran ran = Mend("--undo " + backup);
    EXPECT_TRUE(ran.exit_code == 0 || may_fail) << ran;
    for (const auto& [path, bytes] : FiltersNow()) {
      if (!old_.at(path).empty()) {
        EXPECT_TRUE(bytes == old_.at(path)) << path;
      }
    }
    for (const std::string& name : dir_.Names()) {
      EXPECT_THAT(name, Not(HasSubstr(".bak")));
      EXPECT_THAT(name, Not(HasSubstr(".record")));
      // Without a backup folder, --undo does not remove temporary files.
      EXPECT_TRUE(may_fail ||
                  name.find(".cassandra_bloom-") == std::string::npos)
          << name;
    }
  }

  static bool HasFiles(const std::string& folder) {
    if (!fs::exists(folder)) {
      return false;
    }
    const fs::recursive_directory_iterator entries(folder);
    return std::any_of(fs::begin(entries), fs::end(entries),
                       [](const fs::directory_entry& entry) {
                         return entry.is_regular_file();
                       });
  }

  static void ExpectKilled(int num_killed) {
    std::printf("%d were killed before they ended\n", num_killed);
    EXPECT_GT(num_killed, 0);
  }

  uint64_t random_;
  Filters old_;
  Filters new_;
  Clock::duration time_of_mend_{};
  Clock::duration time_of_undo_{};
};

TEST_F(MendKillTest, MendAndUndo) {
  for (const bool kills_undo : {false, true}) {
    int num_killed = 0;
    for (int round = 0; GoesOn(round, num_killed); ++round) {
      Restore();
      const std::string backup = BackupOf(round);
      if (kills_undo) {
        EXPECT_EQ(Mend("--in-place " + backup).exit_code, 0);
      }
      const pid_t pid = Start(kills_undo ? "--undo" : "--in-place", backup);
      const auto time = kills_undo ? time_of_undo_ : time_of_mend_;
      num_killed += KillWithin(time, round, pid) ? 1 : 0;
      ExpectOldOrNew();
      if (NextRandom(&random_) % 2 == 0) {
        EXPECT_EQ(Mend("--in-place " + backup).exit_code, 0);
        EXPECT_EQ(Scan().exit_code, 0);
      }
      ExpectUndone(backup);
    }
    ExpectKilled(num_killed);
  }
}

// Starts three processes at the same time: two mends, and a third mend or an
// --undo. One of the mends may be killed.
TEST_F(MendKillTest, TwoAtOnce) {
  int num_killed = 0;
  for (int round = 0; GoesOn(round, num_killed); ++round) {
    Restore();
    const std::string backup = BackupOf(round);
    const uint64_t random = NextRandom(&random_);
    const std::vector<pid_t> others = {
        Start("--in-place", backup),
        Start(random % 3 == 0 ? "--undo" : "--in-place", backup)};
    const pid_t pid = Start("--in-place", backup);
    if (random % 2 == 0) {
      num_killed += KillWithin(2 * time_of_mend_, round, pid) ? 1 : 0;
    } else {
      EXPECT_FALSE(IsKilled(pid));
    }
    for (const pid_t other : others) {
      EXPECT_FALSE(IsKilled(other));
    }
    ExpectOldOrNew();
    ExpectUndone(backup);
    EXPECT_EQ(Mend("--in-place " + backup).exit_code, 0);
    EXPECT_EQ(Scan().exit_code, 0);
    ExpectUndone(backup);
  }
  ExpectKilled(num_killed);
}

}  // namespace
}  // namespace cassandra_bloom::testing
