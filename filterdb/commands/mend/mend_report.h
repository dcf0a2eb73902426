// SPDX-License-Identifier: Apache-2.0

// What `filterdb mend` has done, as text or as JSON.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/mending/mend_outcome.h"

namespace cassandra_bloom::tools {

class MendReport {
 public:
  explicit MendReport(bool as_json);

  // Adds the outcome for one SSTable. Prints its text at once, so that a killed
  // run has shown what it did.
  void Add(const MendOutcome& outcome);

  // Adds errors that were printed to stderr.
  void AddErrors(const std::vector<std::string>& errors);
  void SetNotExamined(size_t number) {
    json_["total"]["not_examined"] = number;
  }
  void SetLeftOut(const std::map<std::string, uint64_t>& folders);
  // `folder` is where the run has kept the old filters.
  void SetBackup(const std::string& folder) { json_["backup"] = folder; }

  // Prints the JSON, or the sums.
  void Print() const;

  ExitCode exit_code() const;

 private:
  void PrintSums() const;
  size_t Total(MendOutcome::Kind kind) const;

  const bool as_json_;
  Json json_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_
