// SPDX-License-Identifier: Apache-2.0

// What mend and install print: a line for each outcome at once, so that a
// killed run has shown what it did, and the sums at the end.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTCOME_REPORT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTCOME_REPORT_H_

#include <cstdint>
#include <map>
#include <string>

#include "filterdb/commands/output.h"
#include "filterdb/mending/install.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/mending/run_folder.h"

namespace cassandra_bloom::tools {

class Report {
 public:
  explicit Report(bool as_json) : as_json_(as_json) {}

  void Add(const Outcome& outcome);
  void AddHarm(Harm harm) { left_.Add(harm); }
  uint64_t num(Outcome::Kind kind) const;

  // Prints the sums: in JSON with the fields of `more`, in the text followed by
  // `text`. Returns the exit status.
  ExitCode Finish(const Json& more, const std::string& text);

 private:
  const bool as_json_;
  std::map<Outcome::Kind, uint64_t> sums_;
  // Why SSTables were left, and how many for each reason.
  std::map<std::string, uint64_t> reasons_;
  Harms left_;
};

// Installs a run, or undoes it, and prints the report.
ExitCode RunInstallOf(const RunFolder& run, const InstallOptions& options,
                      Report* report);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_OUTCOME_REPORT_H_
