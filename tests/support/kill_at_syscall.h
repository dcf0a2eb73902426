// SPDX-License-Identifier: Apache-2.0

// Kills a program at a chosen change of files.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_

#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Runs a program, without output, and kills it with SIGKILL when it has begun
// `num_changes` system calls that change files or their names: the last of
// them is not carried out. Counts the calls of all threads. Returns whether the
// program was killed: false if it ended before that. Throws std::runtime_error
// if it cannot be traced.
bool KillAtChange(const std::vector<std::string>& arguments, int num_changes);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_
