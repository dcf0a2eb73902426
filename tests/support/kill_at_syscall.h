// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_

#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Runs a program, and kills it before its `num_changes`-th system call that
// changes a file or a file name. Returns false if the program ended earlier.
// Throws std::runtime_error if the program cannot be traced.
bool KillAtChange(const std::vector<std::string>& arguments, int num_changes);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KILL_AT_SYSCALL_H_
