// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/scan/scan_test.cc.

#include <cstdio>
#include <map>

#include "filterdb/commands/scan/scan_report.h"

namespace cassandra_bloom::tools {

std::vector<std::string> WarningsOf(
    const std::vector<FilterFinding>& findings) {
  std::map<std::string, double> chances;  // The key is a folder.
  for (const FilterFinding& finding : findings) {
    if (finding.aborts_scylla()) {
      chances[finding.sstable.folder] = *finding.plan;
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [folder, chance] : chances) {
    char text[32];
    std::snprintf(text, sizeof(text), "%g", chance);
    warnings.push_back(
        folder + ": was written with bloom_filter_fp_chance = " + text +
        "; ScyllaDB from 6.1 on aborts when it flushes such a table to an "
        "SSTable with an Index.db (scylladb#31207): set at least 0.00009");
  }
  return warnings;
}

}  // namespace cassandra_bloom::tools
