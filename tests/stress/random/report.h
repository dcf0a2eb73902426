// SPDX-License-Identifier: Apache-2.0

// What a process of a trial prints, for blame.cc to read.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_REPORT_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_REPORT_H_

#include <cstdio>
#include <exception>
#include <functional>

#include "tests/stress/random/failure.h"
#include "tests/stress/random/witness.h"

namespace cassandra_bloom::testing {

constexpr char kFailure[] = "FAILURE: ";
constexpr char kWrongDenial[] = "a filter denies a key that it was given";
constexpr char kNoWrongDenial[] = "no filter denied a key that it was given";

// Prints the failure that `work` throws, and the key that a filter denied.
// Returns the exit status.
inline int RunAndReport(const std::function<void()>& work) {
  int status = 0;
  try {
    work();
  } catch (const WrongRows& failure) {
    std::printf("%s%s\n", kFailure, failure.what());
    if (SawAllFilters() && WrongDenial().empty()) {
      std::printf("%s\n", kNoWrongDenial);
    }
    status = 1;
  } catch (const std::exception& failure) {
    std::printf("%s%s\n", kFailure, failure.what());
    status = 1;
  }
  if (!WrongDenial().empty()) {
    std::printf("%s%s: %s\n", kFailure, kWrongDenial, WrongDenial().c_str());
    status = 1;
  }
  std::fflush(stdout);
  return status;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_REPORT_H_
