// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_STOP_AT_CHANGES_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_STOP_AT_CHANGES_H_

#include <functional>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Runs a program, and stops it before each system call that changes a file or a
// file name. Calls `stopped` while it is stopped. The files are then as if the
// program had been killed there. If the program has several threads, only one
// is stopped, so only one may change files. Returns the exit status. Throws
// std::runtime_error if the program cannot be traced or is killed.
int StopAtChanges(const std::vector<std::string>& arguments,
                  const std::function<void()>& stopped);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_STOP_AT_CHANGES_H_
