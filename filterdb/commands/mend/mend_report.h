// SPDX-License-Identifier: Apache-2.0

// Shows what `filterdb mend` has done, as text or as JSON.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/commands/output.h"
#include "filterdb/mending/mender.h"

namespace cassandra_bloom::tools {

class MendReport {
 public:
  explicit MendReport(bool json) : json_(json) {}

  // Adds the outcome for one SSTable. Prints text at once, so that an
  // interrupted run has shown what it did.
  void Add(const MendOutcome& outcome);
  // Adds errors to the JSON. The caller has printed them to stderr.
  void AddErrors(const std::vector<std::string>& errors);
  // `folders` has the names of folders that were not searched, and how many
  // folders have each name.
  void SetLeftOut(const std::map<std::string, uint64_t>& folders) {
    left_out_ = folders;
  }
  // `number` is how many SSTables are being written, obsolete or vanished.
  void SetNotExamined(size_t number) { num_not_examined_ = number; }
  // `lines` has a message for each PATH without backups in --backup-dir.
  void SetNoBackups(std::vector<std::string> lines) {
    no_backups_ = std::move(lines);
  }

  // Prints the JSON. `interrupted` says whether a signal ended the run.
  void PrintDocument(bool interrupted) const;
  void PrintSums(const MendPlan& plan, bool has_other_links) const;
  void PrintSumsOfUndo() const;

  ExitCode exit_code() const;

 private:
  static constexpr size_t kNumKinds = MendOutcome::kNotDone + 1;

  size_t Count(MendOutcome::Kind kind) const { return counts_[kind]; }
  void PrintEndOfSums() const;

  const bool json_;
  std::array<size_t, kNumKinds> counts_ = {};
  std::vector<std::string> errors_;
  std::map<std::string, uint64_t> left_out_;
  size_t num_not_examined_ = 0;
  std::vector<std::string> no_backups_;
  Json sstables_ = Json::array();
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_MEND_MEND_REPORT_H_
