// SPDX-License-Identifier: Apache-2.0

// Finds and examines the SSTables that a user names, for scan and for mend.
// Tested in filterdb/tests/commands/scan/scan_test.cc.
// Tested in filterdb/tests/commands/bad_lines_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_OPTIONS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_OPTIONS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable_finder.h"

namespace cassandra_bloom::tools {

struct ScanOptions {
  std::vector<std::string> paths;
  FindOptions find;
  // The bloom_filter_fp_chance to assume if Statistics.db does not have it.
  std::optional<double> fp_chance;
  uint64_t jobs = 0;  // The number of threads. 0 means one for each CPU.

  // Adds the options that filterdb scan and mend share: all but `fp_chance`.
  void AddTo(CLI::App* command);
};

// Finds the SSTables. Prints errors, and links that it follows, to stderr.
FoundSstables Find(const ScanOptions& options);

struct Scanned {
  std::vector<FilterFinding> findings;
  // `links`, `left_out` and `errors` are those of FoundSstables. Scan prints
  // `links` and `errors` to stderr.
  std::vector<FolderLink> links;
  std::map<std::string, uint64_t> left_out;
  std::vector<std::string> errors;
};

Scanned Scan(const ScanOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_SCAN_OPTIONS_H_
