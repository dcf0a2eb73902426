// SPDX-License-Identifier: Apache-2.0

// Shows what `filterdb scan` has found, as text or as JSON.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_REPORT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// Prints a table for each folder, and the totals. If `only_faults` is true,
// leaves out SSTables and folders without a fault.
void PrintFindings(const std::vector<FilterFinding>& findings,
                   bool only_faults);

Json FindingsToJson(const std::vector<FilterFinding>& findings,
                    const std::vector<std::string>& errors);

// Returns a line about folders that were not searched, such as "left out: 2
// folders named snapshots\n", or "". `folders` has the number of folders for
// each name.
std::string LeftOutText(const std::map<std::string, uint64_t>& folders);

// Returns a warning for each table whose settings will harm the node.
std::vector<std::string> WarningsOf(const std::vector<FilterFinding>& findings);

// Returns the verdict on a filter, such as "keys missing (12)". If the SSTable
// was not examined, returns the reason, such as "being written".
std::string VerdictText(const FilterFinding& finding);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_REPORT_H_
