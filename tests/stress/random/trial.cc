// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/trial.h"

#include <rocksdb/options.h>

#include <cstdio>

#include "tests/stress/random/doctor_check.h"
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
      Operate(operations);
    }
    CheckAllMoments();
    if (draws_.OneIn(3)) {
      CheckReadOnly();
    }
    CloseDb();
    ChangeFamilies();
    Open();
    CheckAll(db_, "after reopening");
  }
  CloseDb();
  CheckByDoctor();
}

// RocksDB's own filters alone need no doctor here. So a failure with them is
// not taken for one of RocksDB's.
void Trial::CheckByDoctor() {
#ifdef CASSANDRA_BLOOM_SST_FILTERS
  if (settings_.stand != Stand::kOurs) {
    return;
  }
  const std::string path = settings_.folder + "/db";
  // The block cache of earlier openings may have filters as another policy
  // reads them.
  for (FamilyConfiguration& family : configuration_.families) {
    family.uses_kept_cache = false;
  }
  Database read_only;
  read_only.OpenReadOnly(configuration_, settings_.stand, path);
  CheckDoctor(path, read_only, written_, &draws_);
#endif
}

void Trial::ChangeFamilies() {
  for (FamilyConfiguration& family : configuration_.families) {
    ChangeFamily(&configuration_draws_, &family);
  }
}

void Trial::Open() {
  std::printf("%s%s\n", kOpening,
              configuration_.ToString(settings_.stand).c_str());
  std::fflush(stdout);
  db_.Open(configuration_, settings_.stand, settings_.folder + "/db");
}

// ---- Operations ----

void Trial::Operate(uint64_t operations) {
  for (uint64_t i = 0; i < operations; ++i) {
    DoOne();
    ++counts_.operations;
  }
}

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
    CheckSome();
  } else {
    ChangeRows();
  }
}

void Trial::ChangeRows() { writes_.Make(writes_.Next(), settings_.folder); }

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

void Trial::FlushAll() {
  RequireOk(db_->Flush(rocksdb::FlushOptions(), db_.handles()), "Flush");
}

// ---- Checks ----

View Trial::ViewOf(const Database& db, const Moment& moment) const {
  return {&configuration_, &db, &written_, moment.snapshot, moment.at};
}

void Trial::CheckSome() {
  const bool at_snapshot = !snapshots_.empty() && draws_.OneIn(3);
  checks_.Some(ViewOf(db_, at_snapshot ? draws_.In(snapshots_)
                                       : Moment{nullptr, written_.number}));
}

void Trial::CheckAll(const Database& db, const std::string& what) try {
  checks_.All(ViewOf(db, {nullptr, written_.number}));
  counts_.filtered += db.Filtered();
} catch (const WrongRows& failure) {
  throw WrongRows(failure.what(), what);
}

void Trial::CheckAllMoments() {
  CheckAll(db_, "before closing");
  if (!snapshots_.empty()) {
    checks_.All(ViewOf(db_, draws_.In(snapshots_)));
  }
}

void Trial::CheckReadOnly() {
  CloseDb();
  Database read_only;
  read_only.OpenReadOnly(configuration_, settings_.stand,
                         settings_.folder + "/db");
  CheckAll(read_only, "opened read-only");
  read_only.Close();
  Open();
}

void Trial::CloseDb() {
  ReleaseSnapshots();
  if (!configuration_.has_wal) {
    FlushAll();
  }
  db_.Close();
}

}  // namespace cassandra_bloom::testing
