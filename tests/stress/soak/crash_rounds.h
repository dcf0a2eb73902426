// SPDX-License-Identifier: Apache-2.0

// Kills a writing process at any moment, and checks what it leaves.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_

#include <cstdint>
#include <string>

#include "tests/stress/soak/soak_db.h"

namespace cassandra_bloom::testing {

struct CrashSettings {
  std::string program;  // With these settings it calls RunCrashWriter.
  std::string folder;
  uint64_t num_keys;
  uint64_t seed;
};

// Starts, kills and verifies this many times.
void RunCrashRounds(const CrashSettings& settings, int rounds,
                    SoakCounts* counts);

// Writes until it is killed; ignores `program`. Returns the exit status.
int RunCrashWriter(const CrashSettings& settings);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_CRASH_ROUNDS_H_
