// SPDX-License-Identifier: Apache-2.0

// Kills "filterdb mend", "filterdb install" and its undo at each change of a
// file, and starts several installs at once. Each filter must be the old or the
// new one of its SSTable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
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
class KillTest : public ScyllaFixture {
 protected:
  KillTest() {
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
    gid_t group = 1;
    for (const auto& [path, bytes] : old_) {
      fs::permissions(path, fs::perms(0640));
      if (chown(path.c_str(), kSameUser, group++) != 0) {
        // Only root may give it to any group.
      }
      owners_[path] = OwnerOf(path);
    }
  }

  static constexpr auto kSameUser = static_cast<uid_t>(-1);

  // The mode, the user and the group.
  using Owner = std::tuple<mode_t, uid_t, gid_t>;
  static Owner OwnerOf(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return {status.st_mode, status.st_uid, status.st_gid};
  }

  void ExpectOwners() const {
    for (const auto& [path, owner] : owners_) {
      EXPECT_TRUE(OwnerOf(path) == owner) << path;
    }
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

  // The files of a state: bytes, owner and time. Data.db and Index.db are left
  // alone, because an SSTable is known by their inodes, and because opening
  // Data.db would wait while the stopped program holds a lease on it.
  struct File {
    std::string bytes;
    Owner owner;
    fs::file_time_type time;
    bool is_folder;
    bool operator==(const File& other) const {
      return bytes == other.bytes && owner == other.owner &&
             is_folder == other.is_folder;
    }
  };
  using State = std::map<std::string, File>;

  static bool IsFixed(const std::string& path) {
    return EndsWith(path, "-Data.db") || EndsWith(path, "-Index.db");
  }

  State StateNow() const {
    State state;
    for (const std::string& root : {dir_ / "ks", run()}) {
      if (!fs::exists(root)) {
        continue;
      }
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string path = entry.path();
        if (!IsFixed(path)) {
          state[path] = {entry.is_directory() ? "" : ReadFile(path),
                         OwnerOf(path), fs::last_write_time(path),
                         entry.is_directory()};
        }
      }
    }
    return state;
  }

  void GoBackTo(const State& state) const {
    for (const auto& [path, now] : StateNow()) {
      if (state.count(path) == 0) {
        fs::remove_all(path);
      }
    }
    fs::create_directories(run());
    fs::permissions(run(), fs::perms(0700));
    for (const auto& [path, file] : state) {
      if (file.is_folder) {
        fs::create_directories(path);
      } else {
        fs::remove(path);  // It may be a hard link.
        WriteFile(path, file.bytes);
        const auto& [mode, user, group] = file.owner;
        EXPECT_EQ(chown(path.c_str(), user, group), 0);
        fs::permissions(path, fs::perms(mode & 0777));
        fs::last_write_time(path, file.time);
      }
    }
    if (state.count(run() + "/list") == 0) {
      fs::remove_all(run());
    }
  }

  // Runs filterdb with these words, and keeps each state before a change of the
  // files. They are as a kill there would leave them. Then calls each of
  // `afters` in each state.
  void KillAtEach(const std::vector<std::string>& words,
                  const std::vector<std::function<void()>>& afters) const {
    std::vector<std::string> command = {CASSANDRA_BLOOM_FILTERDB};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<State> states;
    const int exit_code = StopAtChanges(command, [&] {
      State now = StateNow();
      if (states.empty() || !(now == states.back())) {
        states.push_back(std::move(now));
      }
    });
    EXPECT_TRUE(exit_code == 0 || exit_code == 2) << exit_code;
    for (size_t kill = 0; kill < states.size() && !HasFailure(); ++kill) {
      SCOPED_TRACE(kill);
      for (const auto& after : afters) {
        GoBackTo(states[kill]);
        after();
      }
    }
    std::printf("%zu kills\n", states.size());
    EXPECT_GT(states.size(), 10U);
  }

  std::vector<std::string> MendLine() const {
    return {"mend", "--rewrite-digests", "--run=" + run(), dir_ / "ks"};
  }
  std::vector<std::string> InstallLine() const {
    return {"install", "--node-is-down", run()};
  }

  void ExpectMended() const {
    if (!fs::exists(run() + "/old") || fs::is_empty(run() + "/old")) {
      Exits(0, Mend("--rewrite-digests"));
    }
    Exits(0, Install());
    ExpectWell();
    ExpectOwners();
    ExpectNoLeftOvers();
  }

  void ExpectNoLeftOvers() const {
    for (const std::string& name : dir_.Names()) {
      EXPECT_THAT(name, Not(HasSubstr("db.")));
      EXPECT_THAT(name, Not(HasSubstr("txt.")));
    }
  }

  void ExpectUndone() const {
    if (!fs::exists(run() + "/list")) {
      return;
    }
    Undo();
    const auto now = Filters();
    for (const auto& [path, bytes] : old_) {
      EXPECT_TRUE(now.at(path) == bytes) << path;
    }
    ExpectOwners();
    ExpectDigestsAreRight();
    ExpectNoLeftOvers();
  }

  std::map<std::string, std::string> old_;
  std::map<std::string, Owner> owners_;
};

TEST_F(KillTest, MendIsContinued) {
  KillAtEach(MendLine(), {[&] {
               EXPECT_TRUE(Filters() == old_);
               Exits(0, Mend("--rewrite-digests"));
               ExpectMended();
               ExpectUndone();
             }});
}

TEST_F(KillTest, Install) {
  Exits(0, Mend("--rewrite-digests"));
  KillAtEach(InstallLine(), {[&] {
                               ExpectMended();
                               ExpectUndone();
                             },
                             [&] { ExpectUndone(); }});
}

TEST_F(KillTest, InPlace) {
  std::vector<std::string> words = MendLine();
  words.insert(words.end(), {"--in-place", "--node-is-down", "--jobs=1"});
  KillAtEach(words, {[&] {
                       ExpectMended();
                       ExpectUndone();
                     },
                     [&] { ExpectUndone(); }});
}

TEST_F(KillTest, Undo) {
  Exits(0, MendInPlace("--rewrite-digests"));
  std::vector<std::string> words = InstallLine();
  words.emplace_back("--undo");
  KillAtEach(words, {[&] { ExpectUndone(); }, [&] { ExpectMended(); }});
}

// Another process removes the SSTable before one of the changes. Nothing of it
// may come back, because ScyllaDB does not start with a TOC.txt that is alone.
TEST_F(KillTest, AnSstableThatIsRemovedMeanwhile) {
  const std::string folder = dir_ / "ks/t1";
  int num_changes = 0;
  for (int at = 1; at == 1 || num_changes >= at; ++at) {
    SCOPED_TRACE(at);
    fs::remove_all(dir_ / "ks");
    LeaveOutOfToc(WriteScylla(FilterFault::kBitsCleared));
    NextRun();
    Exits(0, Mend("--rewrite-digests"));
    num_changes = 0;
    const auto remove = [&] {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().string().find(kTemporarySuffix) == std::string::npos) {
          files.push_back(entry.path());
        }
      }
      for (const fs::path& file : files) {
        fs::remove(file);
      }
    };
    StopAtChanges(
        {CASSANDRA_BLOOM_FILTERDB, "install", "--node-is-down", run()}, [&] {
          if (++num_changes == at) {
            remove();
          }
        });
    EXPECT_EQ(fs::is_empty(folder), num_changes >= at);
  }
  EXPECT_GT(num_changes, 10);
}

// Installs of several runs that meet at an SSTable leave it to each other. The
// next one does the rest.
TEST_F(KillTest, SeveralAtOnce) {
  std::string script;
  for (int i = 0; i < 3; ++i) {
    Exits(0, Mend("--rewrite-digests"));
    script += "('" CASSANDRA_BLOOM_FILTERDB "' install --node-is-down " +
              run() + " >&2; echo $?) & ";
    NextRun();
  }
  const ProcessResult ran = RunProcess({"/bin/sh", "-c", script + "wait"});
  EXPECT_THAT(ran.out, ::testing::MatchesRegex("([0-3]\n){3}")) << ran;
  ExpectNoLeftOvers();
  Exits(0, MendInPlace("--rewrite-digests"));
  ExpectWell();
}

}  // namespace
}  // namespace cassandra_bloom::testing
