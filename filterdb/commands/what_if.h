// SPDX-License-Identifier: Apache-2.0

// What the filters of tables would cost with other chances
// (bloom_filter_fp_chance).
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_WHAT_IF_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_WHAT_IF_H_

#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// Reads chances such as "0.001,0.01". Throws Unusable.
std::vector<double> ParseChances(const std::string& text);

// Returns a list of tables, those with the largest filters first, and at the
// end all tables together. Each has the memory of its filters and the number of
// SSTables that a key in none of them reads in vain: today and, for the same
// keys, with each chance. An SSTable whose keys could not be read counts as it
// is today.
Json WhatIf(const std::vector<Examined>& sstables,
            const std::vector<double>& chances);

std::string WhatIfText(const Json& what_if);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_WHAT_IF_H_
