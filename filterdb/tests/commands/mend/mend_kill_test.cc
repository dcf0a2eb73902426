// SPDX-License-Identifier: Apache-2.0

// Kills "filterdb mend" at each change of a file, and starts several runs at
// once. Each filter must be the old or the new one of its SSTable.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/tests/commands/mend/scylla_fixture.h"
#include "filterdb/tests/commands/mend/stop_at_changes.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// SSTables of Cassandra and of ScyllaDB with different faults of the filter,
// with and without Filter.db in TOC.txt.
class MendKillTest : public ScyllaFixture {
 protected:
  MendKillTest() {
    const auto make = [this](FilterFault fault, const std::string& generation) {
      return WriteScylla(fault, /*is_rotten=*/false, "me", generation);
    };
    make(FilterFault::kBitsCleared, "1");
    make(FilterFault::kMissing, "2");
    LeaveOutOfToc(make(FilterFault::kNone, "3"));
    LeaveOutOfToc(make(FilterFault::kBitsCleared, "4"));
    fs::remove(make(FilterFault::kNone, "5").Path("Filter.db"));
    Write(FilterFault::kBitsCleared, "6");
    Write(FilterFault::kMissing, "7");
    old_ = Filters();
  }

  // Returns the bytes of each Filter.db.
  std::map<std::string, std::string> Filters() const {
    std::map<std::string, std::string> filters;
    for (const auto& entry : fs::directory_iterator(dir_ / "ks/t1")) {
      const std::string path = entry.path();
      if (path.find("-Filter.db") != std::string::npos) {
        filters[path] = ReadFile(path);
      }
    }
    return filters;
  }

  // Copies the SSTables and the backups. Data.db gets a hard link, because
  // opening it would wait while the stopped program holds a lease on it.
  static void CopyState(const std::string& from, const std::string& to) {
    for (const std::string name : {"ks", "old"}) {
      fs::remove_all(to + "/" + name);
      if (!fs::exists(from + "/" + name)) {
        continue;
      }
      fs::create_directories(to + "/" + name);
      for (const auto& entry :
           fs::recursive_directory_iterator(from + "/" + name)) {
        const std::string path = entry.path();
        const std::string copy = to + path.substr(from.size());
        if (entry.is_directory()) {
          fs::create_directory(copy);
        } else if (EndsWith(path, "-Data.db")) {
          fs::create_hard_link(path, copy);
        } else {
          fs::copy(path, copy);
        }
      }
    }
  }

  // Returns the bytes of all files but Data.db, which would wait for a lease.
  std::map<std::string, std::string> State() const {
    std::map<std::string, std::string> state;
    for (const std::string& name : dir_.Names()) {
      const bool is_file = !fs::is_directory(dir_ / name);
      if (name.rfind("killed/", 0) != 0 && !EndsWith(name, "-Data.db")) {
        state[name] = is_file ? ReadFile(dir_ / name) : "";
      }
    }
    return state;
  }

  // Runs filterdb mend with these options, and copies the files before each
  // change to them, unless they are as before the last one. They are as a kill
  // there would leave them. Then calls each of `afters` on each copy.
  void KillAtEach(const std::vector<std::string>& options,
                  const std::vector<std::function<void()>>& afters) const {
    std::vector<std::string> words = {CASSANDRA_BLOOM_FILTERDB, "mend",
                                      "--node-is-down"};
    words.insert(words.end(), options.begin(), options.end());
    fs::create_directory(dir_ / "killed");
    int num_kills = 0;
    const auto copy = [&](int kill) {
      return dir_ / ("killed/" + std::to_string(kill));
    };
    std::map<std::string, std::string> last;
    const auto stopped = [&] {
      auto now = State();
      if (now != last) {
        CopyState(dir_.path(), copy(++num_kills));
        last = std::move(now);
      }
    };
    EXPECT_EQ(StopAtChanges(words, stopped), 0);
    for (int kill = 1; kill <= num_kills && !HasFailure(); ++kill) {
      SCOPED_TRACE(kill);
      for (const auto& after : afters) {
        CopyState(copy(kill), dir_.path());
        after();
      }
    }
    std::printf("%d kills\n", num_kills);
    EXPECT_GT(num_kills, 15);
  }

  std::vector<std::string> Line(const std::string& backup) const {
    return {"--rewrite-digests", "--jobs=1", backup, dir_ / "ks"};
  }

  void ExpectMended(const std::string& backup) const {
    Exits(0, Mend("--rewrite-digests " + backup));
    ExpectWell();
    for (const std::string& name : dir_.Names()) {
      if (name.rfind("ks/", 0) == 0) {
        EXPECT_THAT(name, Not(HasSubstr("cassandra_bloom-")));
      }
    }
  }

  // Undoes all runs that have begun a list, the last one first.
  void ExpectUndone() const {
    const std::vector<std::string> runs = Runs();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (fs::exists(*run + "/list") && fs::file_size(*run + "/list") > 0) {
        Exits(0, Undo(*run));
      }
    }
    const auto now = Filters();
    for (const auto& [path, bytes] : old_) {
      EXPECT_TRUE(now.at(path) == bytes) << path;
    }
    ExpectDigestsAreRight();
  }

  std::map<std::string, std::string> old_;
};

TEST_F(MendKillTest, MendWithBackups) {
  const auto mend_and_undo = [&] {
    ExpectMended(Backup());
    ExpectUndone();
  };
  KillAtEach(Line(Backup()), {mend_and_undo, [&] { ExpectUndone(); }});
}

TEST_F(MendKillTest, MendWithoutBackups) {
  KillAtEach(Line("--no-backup"), {[&] { ExpectMended("--no-backup"); }});
}

TEST_F(MendKillTest, Undo) {
  Exits(0, MendWithBackup("--rewrite-digests"));
  KillAtEach({"--undo=" + LastRun()},
             {[&] { ExpectUndone(); }, [&] { ExpectMended(Backup()); }});
}

// Another process removes the SSTable before one of the changes. Nothing of it
// may come back, because ScyllaDB does not start with a TOC.txt that is alone.
TEST_F(MendKillTest, AnSstableThatIsRemovedMeanwhile) {
  const std::string folder = dir_ / "ks/t1";
  int num_changes = 0;
  for (int at = 1; at == 1 || num_changes >= at; ++at) {
    SCOPED_TRACE(at);
    fs::remove_all(dir_ / "ks");
    LeaveOutOfToc(WriteScylla(FilterFault::kBitsCleared));
    num_changes = 0;
    const auto remove = [&] {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (!EndsWith(entry.path().string(), kTemporarySuffix)) {
          files.push_back(entry.path());
        }
      }
      for (const fs::path& file : files) {
        fs::remove(file);
      }
    };
    StopAtChanges({CASSANDRA_BLOOM_FILTERDB, "mend", "--node-is-down",
                   "--rewrite-digests", "--jobs=1", "--no-backup", dir_ / "ks"},
                  [&] {
                    if (++num_changes == at) {
                      remove();
                    }
                  });
    EXPECT_EQ(fs::is_empty(folder), num_changes >= at);
  }
  EXPECT_GT(num_changes, 10);
}

// Runs that meet at an SSTable may leave it to each other. The next run does
// the rest.
TEST_F(MendKillTest, SeveralAtOnce) {
  const auto start = [&] {
    const pid_t pid = fork();
    if (pid == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
      const std::string ks = dir_ / "ks";
      const std::string backup = Backup();
      execl(CASSANDRA_BLOOM_FILTERDB, "filterdb", "mend", "--node-is-down",
            "--rewrite-digests", ks.c_str(), backup.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  };
  CopyState(dir_.path(), dir_ / "template");
  Exits(0, MendWithBackup("--rewrite-digests"));
  const auto mended = Filters();
  for (int round = 0; round < 5 && !HasFailure(); ++round) {
    CopyState(dir_ / "template", dir_.path());
    for (const pid_t pid : {start(), start(), start()}) {
      int status = 0;
      EXPECT_EQ(waitpid(pid, &status, 0), pid);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
    }
    for (const auto& [path, bytes] : Filters()) {
      EXPECT_TRUE(bytes == mended.at(path) ||
                  (old_.count(path) != 0 && bytes == old_.at(path)))
          << path;
    }
    ExpectMended(Backup());
    ExpectUndone();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
