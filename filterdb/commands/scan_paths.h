// SPDX-License-Identifier: Apache-2.0

// Finds and examines the SSTables that a user names, for scan and for mend.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// The options that scan and mend share.
struct ScanPaths {
  // Adds PATH, which is required, and the others.
  void AddTo(CLI::App* command);

  std::vector<std::string> paths;
  ExamineOptions examine;
  uint64_t jobs = 0;  // The number of threads. 0 if it is not given: one.
};

struct Scanned {
  // The number of skipped folders of each name.
  std::map<std::string, uint64_t> left_out;
  uint64_t num_errors = 0;
};

// Examines all SSTables. Calls `work` and `done` as ExamineAll does. What could
// not be read is printed to stderr and, with `as_json`, as a line of JSON.
Scanned Scan(const ScanPaths& options, bool as_json,
             const std::function<void(const Examined&)>& work,
             const std::function<void(const Examined&)>& done);

// Returns a line about folders that were not searched, such as "left out: 2
// folders named snapshots\n", or "".
std::string LeftOutText(const std::map<std::string, uint64_t>& folders);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
