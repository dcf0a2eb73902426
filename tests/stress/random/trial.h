// SPDX-License-Identifier: Apache-2.0

// Fills, checks, closes and reopens one random database. Its processes may be
// killed instead.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_

#include <rocksdb/db.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "tests/stress/random/checks.h"
#include "tests/stress/random/configuration.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/writes.h"

namespace cassandra_bloom::testing {

struct TrialCounts {
  uint64_t operations = 0;
  uint64_t checks = 0;
  uint64_t filtered = 0;  // Keys and prefixes that a filter denied.
};

class Trial {
 public:
  struct Settings {
    uint64_t seed = 0;
    Stand stand = Stand::kOurs;
    // Another attempt has the same configuration, but other keys and
    // operations.
    uint64_t attempt = 0;
    std::string folder;  // Must be empty.
    // So many times the usual keys and operations.
    uint64_t scale = 1;
    // If not 0, processes that use the database are killed so many times.
    uint64_t kills = 0;
    // Makes all operations at once, in several threads. Otherwise, some.
    bool at_once = false;
  };

  explicit Trial(const Settings& settings);
  ~Trial() { ReleaseSnapshots(); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Throws a Failure if a row is wrong or RocksDB fails.
  void Run();

  const TrialCounts& counts() const { return counts_; }

 private:
  struct Moment {
    const rocksdb::Snapshot* snapshot;
    uint64_t at;
  };

  void Open();
  void DoOne();
  void Flush(size_t family);
  void Compact(size_t family, Draws* draws);
  void SetPolicy(size_t family, Draws* draws);
  void ChangeSnapshots();
  void ReleaseSnapshots();
  View ViewOf(const Moment& moment) const;
  void CheckRows(const std::string& what);

  void OperateAtOnce(uint64_t operations);
  uint64_t ReadAtASnapshot(std::mutex* changing, Draws* draws) const;

  // ---- Processes that are killed (kills.cc) ----
  struct Progress;
  void RunWithKills();
  void WriteUntilKilled(Progress* progress);
  void CheckAfterKill(Progress* progress);

  void CloseDb();

  // Compares what `sst_filters doctor` says of the database with what RocksDB
  // counts. Throws a Failure if RocksDB asks filters of a level of which doctor
  // says that none is asked, or if doctor finds no reason why a filter is not
  // used (doctor_check.cc).
  void CheckByDoctor();

  const Settings settings_;
  Draws configuration_draws_;
  Draws draws_;
  TrialCounts counts_;
  Configuration configuration_;
  Written written_;
  Database db_;
  std::vector<Moment> snapshots_;
  Writes writes_ =
      Writes(&configuration_, &db_, &written_, Draws(draws_.Below(UINT64_MAX)));
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_
