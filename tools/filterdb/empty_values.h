// SPDX-License-Identifier: Apache-2.0

// Finds empty options and operands in a command line.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_

#include <string>
#include <vector>

namespace cassandra_bloom::tools {

// Describes the first `--option=`, `--option ''` or ''; "" if there is none.
// Call this before CLI11 parses `words`: it takes the word after `--option=` as
// its value, and never returns if an empty word fits no operand.
std::string EmptyValueIn(const std::vector<std::string>& words);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_
