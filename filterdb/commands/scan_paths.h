// SPDX-License-Identifier: Apache-2.0

// Finds and examines the SSTables that a user names, for scan and for mend.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"
#include "filterdb/health/obstacles.h"

namespace cassandra_bloom::tools {

// The options that scan and mend share.
struct ScanPaths {
  // Adds PATH, which is returned, to `command`, and the others to `group`.
  CLI::Option* AddTo(CLI::App* command, CLI::App* group);

  std::vector<std::string> paths;
  ExamineOptions examine;
  uint64_t jobs = 0;  // The number of threads. 0 means one for each CPU.
};

struct Scanned {
  std::vector<Examined> sstables;
  // The folders of those whose filters have hidden rows.
  std::set<std::string> tables_to_repair;
  // The number of skipped folders of each name.
  std::map<std::string, uint64_t> left_out;
  // What could not be read. Scan has printed these to stderr.
  std::vector<std::string> errors;
};

Scanned Scan(const ScanPaths& options);

// Returns a line about folders that were not searched, such as "left out: 2
// folders named snapshots\n", or "".
std::string LeftOutText(const std::map<std::string, uint64_t>& folders);

// Returns lines that name the tables to repair, or "".
std::string RepairText(const std::set<std::string>& folders);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
