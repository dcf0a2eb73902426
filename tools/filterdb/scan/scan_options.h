// SPDX-License-Identifier: Apache-2.0

// The examination of SSTables that a user names, for scan and for mend.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_OPTIONS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_OPTIONS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/sstable/health/finding.h"
#include "tools/sstable/sstable_files.h"

namespace cassandra_bloom::tools {

struct ScanOptions {
  std::vector<std::string> paths;
  FindOptions find;
  std::optional<double> fp_chance;
  uint64_t jobs = 0;  // 0: one for each CPU.

  // `fp_chance_help`: the help text of --fp-chance.
  void AddTo(CLI::App* command, const std::string& fp_chance_help);
};

struct Scanned {
  std::vector<FilterFinding> findings;
  std::vector<std::string> errors;  // About paths; printed to stderr already.
};

// Finds and judges the SSTables. Throws Unusable if there are none.
Scanned Scan(const ScanOptions& options);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SCAN_SCAN_OPTIONS_H_
