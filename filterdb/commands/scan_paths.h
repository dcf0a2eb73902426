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

// The options that scan and mend share.
struct ScanPaths {
  void AddTo(CLI::App* command);  // With PATH.

  std::vector<std::string> paths;
  ExamineOptions examine;
  uint64_t jobs = 0;  // The number of threads. 0 if it is not given: one.
};

// Finds SSTables. Prints what cannot be read to stderr and, with `as_json`, as
// a line of JSON.
class PathFinder {
 public:
  PathFinder(const std::vector<std::string>& paths, bool as_json);

  std::optional<Sstable> Next() { return finder_.Next(); }

  // These are complete after Next has returned nothing.
  Harm harm() const { return num_errors_ > 0 ? Harm::kNotKnown : Harm::kNone; }
  // What was not searched, such as "left out: 2 folders named snapshots\n".
  std::string Text() const;
  Json ToJson() const;

 private:
  uint64_t num_errors_ = 0;
  SstableFinder finder_;
};

// Examines all SSTables. Calls `work` and `done` as ExamineAll does.
void ExaminePaths(const ScanPaths& options, PathFinder* finder,
                  const std::function<void(const Examined&)>& work,
                  const std::function<void(const Examined&)>& done);

// Prints the summary as JSON, with its exit status and harm before `sums`, or
// `text`. Returns the exit status.
ExitCode Finish(const Harms& harms, bool as_json, const Json& sums,
                const std::string& text);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SCAN_PATHS_H_
