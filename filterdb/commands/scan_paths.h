// SPDX-License-Identifier: Apache-2.0

// What the commands on many SSTables share: finding and examining those that a
// user names, and the last lines.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/health/finding.h"
#include "filterdb/health/harm.h"
#include "filterdb/sstable/sstable_finder.h"

namespace cassandra_bloom::tools {

// Adds PATH, which is required.
void AddPaths(CLI::App* command, std::vector<std::string>* paths);

// Each thread has up to 8 files open. A process may often have 1024.
constexpr unsigned kMostJobs = 64;

// The options that scan and mend share.
struct ScanPaths {
  void AddTo(CLI::App* command);  // With PATH.

  std::vector<std::string> paths;
  ExamineOptions examine;
  unsigned jobs = 0;  // The number of threads. 0 if it is not given: one.
};

// What the commands on many SSTables print: a line for each, what cannot be
// read, and the sums.
class Report {
 public:
  explicit Report(bool as_json, const std::vector<std::string>& paths = {});

  // Returns the next SSTable of the paths. Prints what cannot be read to stderr
  // and, with --json, as a line.
  std::optional<Sstable> Next() { return finder_.Next(); }

  // With --json, prints the line, otherwise the text.
  void Print(const Json& line, const std::string& text) const;

  // The exit status follows from all harms, and from what cannot be read.
  void Add(Harm harm) { harms_.Add(harm); }
  void Add(Harms harms) { harms_.Add(harms); }

  // Prints the summary: with --json, the exit status and the harm before
  // `sums`, and otherwise `text`. Then what was not searched, such as "left
  // out: 2 folders named snapshots". In text, the end is `advice`: what to do.
  // Returns the exit status.
  ExitCode Finish(const Json& sums, const std::string& text,
                  const std::string& advice = "") const;

 private:
  const bool as_json_;
  Harms harms_;
  uint64_t num_errors_ = 0;
  SstableFinder finder_;
};

// Examines all SSTables. Calls `work` and `done` as ExamineAll does.
void ExaminePaths(const ScanPaths& options, Report* report,
                  const std::function<void(const Examined&)>& work,
                  const std::function<void(const Examined&)>& done);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
