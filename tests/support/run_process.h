// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_RUN_PROCESS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_RUN_PROCESS_H_

#include <ostream>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

struct ProcessResult {
  // If a signal has ended it, minus the signal's number. 137 if it was killed
  // because of its time limit.
  int exit_code = -1;
  std::string out;
  std::string err;
};

std::ostream& operator<<(std::ostream& stream, const ProcessResult& result);

// Standard input is empty. `preload`, if not empty, becomes LD_PRELOAD. The
// time limit is less than CTest's, so that a test can say which program hangs.
ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::string& preload = "",
                         unsigned time_limit_in_seconds = 280);

std::vector<std::string> Lines(const std::string& text);

// Returns the SHA-256 in hexadecimal. Throws if the program sha256sum fails.
std::string Sha256(const std::string& bytes);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_RUN_PROCESS_H_
