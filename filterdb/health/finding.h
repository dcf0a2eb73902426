// SPDX-License-Identifier: Apache-2.0

// What filterdb has found out about an SSTable. A finding is never removed. A
// later doubt about it is another finding.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/filter_questions.h"
#include "filterdb/health/harm.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// What an SSTable is judged by, and what a mend may do.
struct ExamineOptions {
  // The planned false positive rate of an SSTable that does not tell one.
  std::optional<double> default_fp_chance;
  // Whether oversized filters are rebuilt, too.
  bool oversized = false;
  // Whether digests in Scylla.db may be changed.
  bool rewrite_digests = true;
};

struct Finding {
  Check check;
  Harm harm;
  Action action;
  std::string text;  // A sentence about what is wrong. May be empty.
  std::string remedy;
};

// An SSTable that was examined. It has no findings if that was not possible, so
// if `sstable.state` is not kLive.
struct Examined {
  // Adds a finding by the table in harm.cc, if there is none of `check`. Set
  // `reader` before. `remedy` stands for that of the table.
  void Add(Check check, const std::string& text = "",
           const char* remedy = nullptr);
  // Compares the filter with its plan. Sets the planned size and rate.
  void ComparePlan();
  // Adds what stands in the way of a mend. Call this after all other findings
  // were added.
  void AddObstacles(const ExamineOptions& options);
  // Adds only what the logs of its folder say about `sstable`.
  void AddLogs();
  bool has(Check check) const;
  // Sets the state of an SSTable that a node is writing or removing.
  void LeaveOut(SstableState state);

  // The worst finding, or kOk.
  Check verdict() const;
  Harms harms() const;
  Harm worst() const { return harms().worst(); }
  // The largest action: what `filterdb mend` does about this SSTable.
  Action action() const;
  // For the action kLeave: why, and what to do.
  std::string ReasonToLeave() const;
  // The verdict, such as "keys missing (12)". If the SSTable was not examined,
  // the reason, such as "being written".
  std::string VerdictText() const;

  Sstable sstable;
  Reader reader = Reader::kCassandraFromNa;
  std::vector<FileStamp> stamps;  // From before the files were read.
  std::vector<Finding> findings;  // The worst first.

  // False if its version or a kind of its files is not known here, or if it
  // could not be read or was left out: then nothing below is known.
  bool is_judged = false;
  bool has_filter_file = false;
  uint64_t filter_size = 0;  // In bytes, as far as a node reads it.
  // Whether Scylla.db has a digest that a mend must change: of Filter.db, or of
  // a TOC.txt that is completed.
  bool digests_change = false;
  FilterFill fill;  // All 0 if the filter is empty or cannot be read.

  bool has_keys = false;  // Whether all keys could be read.
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;

  // The planned false positive rate, bloom_filter_fp_chance: for this one a new
  // filter is built. If it is unknown, `plan_error` says why.
  std::optional<double> plan;
  std::string plan_error;
  // The size in bytes of a filter for the keys of this SSTable and the planned
  // chance. It is 0 if the plan is unknown, or if no filter is planned.
  uint64_t planned_size = 0;
  // The false positive rate to expect of a filter with the planned size.
  double planned_rate = 1;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_
