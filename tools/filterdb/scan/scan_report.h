// SPDX-License-Identifier: Apache-2.0

// Shows findings as text or as JSON.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_REPORT_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/filterdb/output.h"
#include "tools/sstable/health/finding.h"

namespace cassandra_bloom::tools {

// Prints a table for each folder, and the totals. `only_faults`: leaves out
// SSTables and folders without a fault.
void PrintFindings(const std::vector<FilterFinding>& findings,
                   bool only_faults);

Json FindingsToJson(const std::vector<FilterFinding>& findings,
                    const std::vector<std::string>& errors);

// The line about folders that were left out, such as "left out: 2 folders named
// snapshots\n", or "". `folders`: how many have each name.
std::string LeftOutText(const std::map<std::string, uint64_t>& folders);

// A sentence for each folder with tables whose settings will harm the node.
std::vector<std::string> WarningsOf(const std::vector<FilterFinding>& findings);

// The verdict, such as "keys missing (12)", or why there is none, such as
// "being written".
std::string VerdictText(const FilterFinding& finding);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_REPORT_H_
