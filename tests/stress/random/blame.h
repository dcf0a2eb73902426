// SPDX-License-Identifier: Apache-2.0

// Decides whether cassandra_bloom or RocksDB causes a failure.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_BLAME_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_BLAME_H_

#include <cstdint>
#include <string>

#include "tests/stress/random/trial.h"

namespace cassandra_bloom::testing {

enum class Fault { kNone, kOurs, kShared };

struct Verdict {
  uint64_t seed = 0;
  Fault fault = Fault::kNone;
  std::string kind;  // Equal for all failures of one kind.
  std::string text;  // The full description.
  TrialCounts counts;
  // True for the failures of RocksDB that have a ticket, which blame.cc names.
  bool is_known = false;
};

// Runs one trial in this process, and prints the output that RunInProcesses
// reads. Returns the exit status. `time_limit` is in seconds.
int RunTrialProcess(const TrialSettings& settings, unsigned time_limit);

// Runs each trial in its own process of `program`, which must call
// RunTrialProcess. Of `settings`, `stand`, `attempt` and `folder` are ignored.
Verdict RunInProcesses(const std::string& program,
                       const TrialSettings& settings, unsigned time_limit);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_BLAME_H_
