// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/trial.h"

#include <rocksdb/options.h>
#include <rocksdb/snapshot.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>

#include "tests/stress/random/failure.h"
#include "tests/stress/random/witness.h"

namespace cassandra_bloom::testing {

Trial::Trial(const Settings& settings)
    : settings_(settings),
      configuration_draws_(settings.seed),
      draws_(settings.seed + 0x5851f42d4c957f2d * (settings.attempt + 1)),
      configuration_(DrawConfiguration(settings.scale, &configuration_draws_)) {
  for (const FamilyConfiguration& family : configuration_.families) {
    written_.families.push_back({KeyPool(*family.layout, settings.scale,
                                         Draws(draws_.Below(UINT64_MAX))),
                                 Model(family.is_reverse)});
  }
  // Without a write-ahead log, a killed process loses what it has written.
  configuration_.has_wal = configuration_.has_wal || settings.kills > 0;
}

void Trial::Run() {
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
#ifdef CASSANDRA_BLOOM_SST_FILTERS
  CheckByDoctor();
#endif
}

void Trial::Open() {
  std::printf("opens %s\n", configuration_.ToString(settings_.stand).c_str());
  std::fflush(stdout);
  db_.Open(configuration_, settings_.stand, settings_.folder + "/db");
}

// ---- Operations ----

void Trial::DoOne() {
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

void Trial::Flush(size_t family) {
  RequireOk(db_->Flush(rocksdb::FlushOptions(), db_.handle(family)), "Flush");
}

void Trial::Compact(size_t family, Draws* draws) {
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
  RequireOk(db_->CompactRange(options, db_.handle(family),
                              is_all ? nullptr : &from, is_all ? nullptr : &to),
            "CompactRange");
}

// Since 9.8, RocksDB can set the policy of an open database. Older releases
// refuse it, but write to the options that other threads read.
void Trial::SetPolicy(size_t family, Draws* draws) {
  FamilyConfiguration& configured = configuration_.families[family];
  const PolicyChoice policy =
      DrawPolicy(configured.layout->partition_key, draws);
  if (kRelease < 908) {
    return;
  }
  RequireOk(
      db_->SetOptions(db_.handle(family),
                      {{"block_based_table_factory",
                        "{filter_policy=" + policy.In(settings_.stand) + "}"}}),
      "SetOptions");
  configured.policy = policy;
  FiltersAreMissed();
}

void Trial::ChangeSnapshots() {
  constexpr size_t kMost = 3;
  if (snapshots_.size() == kMost || (!snapshots_.empty() && draws_.OneIn(2))) {
    const size_t released = draws_.Below(snapshots_.size());
    db_->ReleaseSnapshot(snapshots_[released].snapshot);
    snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(released));
  } else {
    snapshots_.push_back({db_->GetSnapshot(), written_.number});
  }
}

void Trial::ReleaseSnapshots() {
  for (const Moment& moment : snapshots_) {
    db_->ReleaseSnapshot(moment.snapshot);
  }
  snapshots_.clear();
}

// Reads at a snapshot, whose rows a copy of the models says. Returns the number
// of checks.
uint64_t Trial::ReadAtASnapshot(std::mutex* changing, Draws* draws) const {
  constexpr int kReads = 20;
  std::unique_lock<std::mutex> lock(*changing);
  const Written written = written_;
  rocksdb::ManagedSnapshot snapshot(db_.db());
  lock.unlock();
  uint64_t count = 0;
  for (int i = 0; i < kReads; ++i) {
    CheckSome(
        {&configuration_, &db_, &written, snapshot.snapshot(), written.number},
        draws, &count);
  }
  return count;
}

void Trial::OperateAtOnce(uint64_t operations) {
  std::mutex changing;  // Held while the rows and their models differ.
  std::atomic<uint64_t> num_checks{0};
  std::atomic<bool> stop{false};
  std::vector<std::future<void>> threads;
  // Repeats the work in a thread, until `stop`. A thread that fails stops all.
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
    repeat(
        [&](Draws* draws) { num_checks += ReadAtASnapshot(&changing, draws); });
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

View Trial::ViewOf(const Moment& moment) const {
  return {&configuration_, &db_, &written_, moment.snapshot, moment.at};
}

void Trial::CheckRows(const std::string& what) try {
  CheckAll(ViewOf({nullptr, written_.number}), &draws_, &counts_.checks);
  counts_.filtered += db_.Filtered();
} catch (const WrongRows& failure) {
  throw WrongRows(failure.what(), what);
}

void Trial::CloseDb() {
  ReleaseSnapshots();
  if (!configuration_.has_wal) {
    RequireOk(db_->Flush(rocksdb::FlushOptions(), db_.handles()), "Flush");
  }
  db_.Close();
}

}  // namespace cassandra_bloom::testing
