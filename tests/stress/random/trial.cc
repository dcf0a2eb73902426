// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/trial.h"

#include <rocksdb/db.h>
#include <rocksdb/snapshot.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "tests/stress/random/checks.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/failure.h"
#include "tests/stress/random/witness.h"

namespace cassandra_bloom::testing {
namespace {

// In memory that is shared with the forked processes.
struct Progress {
  // The number of the last change that was made, as the writer says.
  std::atomic<uint64_t> acknowledged{0};
  // The number of the last change that is in the database.
  uint64_t found = 0;
  TrialCounts counts;
};

// Prints the failure that `work` throws, and the key that a filter denied.
// Returns the exit status.
int RunAndReport(const std::function<void()>& work) {
  int status = 0;
  const auto report = [&status](const std::exception& failure) {
    std::printf("%s%s\n", kFailure, failure.what());
    status = 1;
  };
  try {
    work();
  } catch (const WrongRows& failure) {
    report(failure);
    if (SawAllFilters() && WrongDenial().empty()) {
      std::printf("%s\n", kNoWrongDenial);
    }
  } catch (const std::exception& failure) {
    report(failure);
  }
  if (!WrongDenial().empty()) {
    std::printf("%s%s: %s\n", kFailure, kWrongDenial, WrongDenial().c_str());
    status = 1;
  }
  std::fflush(stdout);
  return status;
}

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

class Trial {
 public:
  Trial(const TrialSettings& settings, TrialCounts* counts)
      : settings_(settings),
        counts_(*counts),
        configuration_draws_(settings.seed),
        draws_(settings.seed + 0x5851f42d4c957f2d * (settings.attempt + 1)),
        configuration_(
            DrawConfiguration(settings.scale, &configuration_draws_)) {
    for (const FamilyConfiguration& family : configuration_.families) {
      written_.families.push_back({KeyPool(*family.layout, settings.scale,
                                           Draws(draws_.Below(UINT64_MAX))),
                                   Model(family.is_reverse)});
    }
    // Without a write-ahead log, a killed process loses what it has written.
    configuration_.has_wal = configuration_.has_wal || settings.kills > 0;
  }

  void Run() {
    if (settings_.kills > 0) {
      return RunWithKills();
    }
    Open();
    const uint64_t num_openings = draws_.Between(2, 4);
    for (uint64_t i = 0; i < num_openings; ++i) {
      const uint64_t operations =
          settings_.scale * draws_.Of<uint64_t>({100, 300, 800});
      if (draws_.OneIn(4) || settings_.at_once) {
        OperateAtOnce(operations);
      } else {
        for (uint64_t n = 0; n < operations; ++n) {
          DoOne();
          ++counts_.operations;
        }
      }
      CheckRows("before closing");
      if (!snapshots_.empty()) {
        CheckAll(ViewOf(draws_.In(snapshots_)), &draws_, &counts_.checks);
      }
      CloseDb();
      if (draws_.OneIn(3)) {
        db_.Open(configuration_, settings_.stand, settings_.folder + "/db",
                 /*read_only=*/true);
        CheckRows("opened read-only");
      }
      ChangeFamilies(&configuration_draws_, &configuration_);
      Open();
      CheckRows("after reopening");
    }
    CloseDb();
    CheckFilters();
  }

 private:
  struct Moment {
    std::shared_ptr<rocksdb::ManagedSnapshot> snapshot;  // May be null.
    uint64_t at;
  };

  void Open() {
    std::printf("opens %s\n", configuration_.ToString(settings_.stand).c_str());
    std::fflush(stdout);
    db_.Open(configuration_, settings_.stand, settings_.folder + "/db");
  }

  // ---- Operations ----

  void DoOne() {
    const size_t family = draws_.Below(written_.families.size());
    const uint64_t choice = draws_.Below(1000);
    if (choice < 12) {
      Flush(family);
    } else if (choice < 16) {
      Compact(family, &draws_);
    } else if (choice < 19) {
      SetPolicy(family, &configuration_draws_);
    } else if (choice < 29) {
      ChangeSnapshots();
    } else if (choice < 145) {
      const bool at_snapshot = !snapshots_.empty() && draws_.OneIn(3);
      CheckSome(ViewOf(at_snapshot ? draws_.In(snapshots_)
                                   : Moment{nullptr, written_.number}),
                &draws_, &counts_.checks);
    } else {
      writes_.Make(writes_.Next(), settings_.folder);
    }
  }

  void Flush(size_t family) {
    RequireOk(db_->Flush(rocksdb::FlushOptions(), db_.handle(family)), "Flush");
  }

  void Compact(size_t family, Draws* draws) {
    const FamilyState& state = written_.families[family];
    const std::string begin = state.keys.Any(draws);
    const std::string end = state.keys.Any(draws);
    const rocksdb::Slice from = begin;
    const rocksdb::Slice to = end;
    const bool is_all = draws->OneIn(2);
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction =
        draws->OneIn(2)
            ? rocksdb::BottommostLevelCompaction::kForce
            : rocksdb::BottommostLevelCompaction::kIfHaveCompactionFilter;
    if (!is_all && state.model.IsBefore(end, begin)) {
      return;
    }
    RequireOk(
        db_->CompactRange(options, db_.handle(family), is_all ? nullptr : &from,
                          is_all ? nullptr : &to),
        "CompactRange");
  }

  // Since 9.8, RocksDB can set the policy of an open database. Older releases
  // refuse it, but write to the options that other threads read.
  void SetPolicy(size_t family, Draws* draws) {
    FamilyConfiguration& configured = configuration_.families[family];
    const PolicyChoice policy =
        DrawPolicy(configured.layout->partition_key, draws);
    if (kRelease < 908) {
      return;
    }
    RequireOk(db_->SetOptions(
                  db_.handle(family),
                  {{"block_based_table_factory",
                    "{filter_policy=" + policy.In(settings_.stand) + "}"}}),
              "SetOptions");
    configured.policy = policy;
    FiltersAreMissed();
  }

  void ChangeSnapshots() {
    constexpr size_t kMost = 3;
    if (snapshots_.size() == kMost ||
        (!snapshots_.empty() && draws_.OneIn(2))) {
      snapshots_.erase(snapshots_.begin() +
                       static_cast<ptrdiff_t>(draws_.Below(snapshots_.size())));
    } else {
      snapshots_.push_back(
          {std::make_shared<rocksdb::ManagedSnapshot>(db_.db()),
           written_.number});
    }
  }

  // Reads at a snapshot, whose rows a copy of the models says. Returns the
  // number of checks.
  uint64_t ReadAtASnapshot(std::mutex* changing, Draws* draws) const {
    constexpr int kReads = 20;
    std::unique_lock<std::mutex> lock(*changing);
    const Written written = written_;
    rocksdb::ManagedSnapshot snapshot(db_.db());
    lock.unlock();
    uint64_t count = 0;
    for (int i = 0; i < kReads; ++i) {
      CheckSome({&configuration_, &db_, &written, snapshot.snapshot(),
                 written.number},
                draws, &count);
    }
    return count;
  }

  void OperateAtOnce(uint64_t operations) {
    std::mutex changing;  // Held while the rows and their models differ.
    std::atomic<uint64_t> num_checks{0};
    std::atomic<bool> stop{false};
    std::vector<std::future<void>> threads;
    // Repeats the work in a thread, until `stop`. A thread that fails stops
    // all.
    const auto repeat = [&](const std::function<void(Draws*)>& work) {
      threads.push_back(std::async(
          std::launch::async,
          [&stop, work, draws = Draws(draws_.Below(UINT64_MAX))]() mutable {
            try {
              while (!stop) {
                work(&draws);
              }
            } catch (...) {
              stop = true;
              throw;
            }
          }));
    };
    // If no more threads can be started, those that run end.
    struct Stop {
      ~Stop() { stop = true; }
      std::atomic<bool>& stop;
    } stop_at_end{stop};
    const auto repeat_with_rests =
        [&](const std::function<void(size_t family, Draws*)>& work) {
          repeat([this, work](Draws* draws) {
            work(draws->Below(configuration_.families.size()), draws);
            // Lets the other threads work.
            std::this_thread::sleep_for(
                std::chrono::microseconds(draws->Below(5000)));
          });
        };
    for (int readers = 0; readers < 3; ++readers) {
      repeat([&](Draws* draws) {
        num_checks += ReadAtASnapshot(&changing, draws);
      });
    }
    repeat_with_rests([this](size_t family, Draws*) { Flush(family); });
    repeat_with_rests(
        [this](size_t family, Draws* draws) { Compact(family, draws); });
    repeat_with_rests(
        [this](size_t family, Draws* draws) { SetPolicy(family, draws); });
    repeat([&](Draws*) {
      if (operations-- == 0) {
        stop = true;
        return;
      }
      const std::lock_guard<std::mutex> lock(changing);
      writes_.Make(writes_.Next(), settings_.folder);
      ++counts_.operations;
    });
    for (std::future<void>& thread : threads) {
      thread.get();  // Throws what the thread has thrown.
    }
    counts_.checks += num_checks;
  }

  // ---- Checks ----

  View ViewOf(const Moment& moment) const {
    return {&configuration_, &db_, &written_,
            moment.snapshot ? moment.snapshot->snapshot() : nullptr, moment.at};
  }

  void CheckRows(const std::string& what) try {
    CheckAll(ViewOf({nullptr, written_.number}), &draws_, &counts_.checks);
    counts_.filtered += db_.Filtered();
  } catch (const WrongRows& failure) {
    throw WrongRows(failure.what(), what);
  }

  void CloseDb() {
    snapshots_.clear();
    if (!configuration_.has_wal) {
      RequireOk(db_->Flush(rocksdb::FlushOptions(), db_.handles()), "Flush");
    }
    db_.Close();
  }

  // ---- Processes that are killed ----

  // The processes are forked by a process that itself opens the database only
  // at the end: a forked process has no threads, so RocksDB must have started
  // none.

  void WriteUntilKilled(Progress* progress) {
    Open();
    for (;;) {
      DoOne();
      progress->acknowledged = written_.number;
    }
  }

  // All acknowledged changes must be in the database, and perhaps one more,
  // which was made but not acknowledged.
  void CheckAfterKill(Progress* progress) {
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

  void RunWithKills() {
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
    CheckFilters();
  }

  // RocksDB's own filters alone need no doctor here. So a failure with them is
  // not taken for one of RocksDB's.
  void CheckFilters() {
#ifdef CASSANDRA_BLOOM_SST_FILTERS
    if (settings_.stand == Stand::kOurs) {
      CheckByDoctor(settings_.folder + "/db", configuration_, written_,
                    &draws_);
    }
#endif
  }

  const TrialSettings settings_;
  TrialCounts& counts_;
  Draws configuration_draws_;
  Draws draws_;
  Configuration configuration_;
  Written written_;
  Database db_;
  std::vector<Moment> snapshots_;  // Released before db_ is closed.
  Writes writes_ =
      Writes(&configuration_, &db_, &written_, Draws(draws_.Below(UINT64_MAX)));
};

}  // namespace

int RunTrial(const TrialSettings& settings, TrialCounts* counts) {
  // It is closed after a failure was printed, because closing may fail, too.
  Trial trial(settings, counts);
  return RunAndReport([&] { trial.Run(); });
}

}  // namespace cassandra_bloom::testing
