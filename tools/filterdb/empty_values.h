// SPDX-License-Identifier: Apache-2.0

// Words of a command line that are empty, or an option without its value.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_

#include <string>
#include <vector>

namespace cassandra_bloom::tools {

// What is wrong with the first `--option=`, `--option ''` or ''; "" if there is
// none. Before CLI11 sees them: it takes the word after `--option=` for the
// value, and for ever looks at an empty word that it has no place for.
std::string EmptyValueIn(const std::vector<std::string>& words);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_EMPTY_VALUES_H_
