// SPDX-License-Identifier: Apache-2.0

// Kills a process that writes, and checks the database that the process leaves.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_

#include <cstdint>
#include <string>

#include "tests/stress/soak/soak_db.h"

namespace cassandra_bloom::testing {

struct CrashSettings {
  std::string program;  // Calls RunCrashWriter with these settings.
  std::string folder;
  uint64_t num_keys;
  uint64_t seed;
};

// Repeats three steps `rounds` times: starts a writing process, kills the
// writing process, and checks its database.
void RunCrashRounds(const CrashSettings& settings, int rounds,
                    SoakCounts* counts);

// Writes until the process is killed, so this function never returns. Ignores
// `settings.program`.
int RunCrashWriter(const CrashSettings& settings);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_
