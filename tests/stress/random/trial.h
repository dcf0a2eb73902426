// SPDX-License-Identifier: Apache-2.0

// Fills, checks, closes and reopens one random database. Its processes may be
// killed instead.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_

#include <cstdint>
#include <string>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/writes.h"

namespace cassandra_bloom::testing {

struct TrialCounts {
  uint64_t operations = 0;
  uint64_t checks = 0;
  uint64_t filtered = 0;  // Keys and prefixes that a filter denied.
};

struct TrialSettings {
  uint64_t seed = 0;
  Stand stand = Stand::kOurs;
  // Another attempt has the same configuration, but other keys and operations.
  uint64_t attempt = 0;
  std::string folder;  // Must be empty.
  // So many times the usual keys and operations.
  uint64_t scale = 1;
  // If not 0, processes that use the database are killed so many times.
  uint64_t kills = 0;
  unsigned time_limit = 120;  // In seconds.
  // Makes all operations at once, in several threads. Otherwise, some.
  bool at_once = false;
};

// What a trial prints, for random_db.cc to read.
constexpr char kFailure[] = "FAILURE: ";
constexpr char kWrongDenial[] = "a filter denies a key that it was given";
constexpr char kNoWrongDenial[] = "no filter denied a key that it was given";

// Returns the exit status, which is 1 if a row is wrong or RocksDB fails.
int RunTrial(const TrialSettings& settings, TrialCounts* counts);

// Compares what `sst_filters doctor` says of the database in the folder `path`
// with what RocksDB counts. Throws a Failure if RocksDB asks filters of a level
// of which doctor says that none is asked, or if doctor finds no reason why a
// filter is not used (doctor_check.cc).
void CheckByDoctor(const std::string& path, Configuration configuration,
                   const Written& written, Draws* draws);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_TRIAL_H_
