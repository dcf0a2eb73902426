// SPDX-License-Identifier: Apache-2.0

// Whose fault a failure is: what the filters denied tells, and the same trial
// with the built-in filter.

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
  std::string kind;  // Of the failure: the same for all of one sort.
  std::string text;  // All there is to say about it.
  TrialCounts counts;
};

// What a process of one trial says of it; what it prints is what
// RunInProcesses reads. The exit status.
int RunTrialProcess(const Trial::Settings& settings, unsigned time_limit);

// Each trial in a process of `program`, which calls RunTrialProcess.
Verdict RunInProcesses(const std::string& program, uint64_t seed,
                       unsigned time_limit);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_BLAME_H_
