// SPDX-License-Identifier: Apache-2.0

// What filterdb has found out about the filter of an SSTable.
//
// The table in finding.cc says for each check what `filterdb mend` does about
// it. The decision about an SSTable is the largest action of its findings:
// `filterdb scan`, `filterdb mend` and the sums all read that one list.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/filter_fill.h"
#include "filterdb/sstable/file_stamp.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// From the weakest to the strongest.
enum class Action {
  kNone,
  kCompleteToc,  // Add the line Filter.db to TOC.txt.
  kMend,         // Build a new filter, and complete TOC.txt.
  kLeave,        // Change nothing, because somebody must do something first.
  kNotKnown,     // Judge nothing: this SSTable is not known here.
};

// From the worst to the best. The table in finding.cc has the same order.
enum class Check {
  // ---- Faults ----
  kKeysMissing,       // The filter denies keys of the SSTable.
  kTruncated,         // Filter.db ends early.
  kFilterUnreadable,  // Filter.db cannot be read or used.
  kKeysUnreadable,    // The keys cannot be read, or are not those of Data.db.
  kWrongIndexHashes,  // Hash bytes in Partitions.db do not fit the keys.
  kDigestDiffers,     // Filter.db has another CRC-32 than Scylla.db says.
  kTocDigestDiffers,  // The same of TOC.txt.
  kTocUnfinished,     // A killed mend has changed Scylla.db, but not TOC.txt.
  kScyllaDbDamaged,   // Scylla.db cannot be read, or has another CRC-32.
  kEmpty,             // Filter.db is empty, so Cassandra lets every key pass.
  kMissing,           // No filter, although it is planned or in TOC.txt.
  kTocMissing,        // An SSTable of ScyllaDB has no TOC.txt.
  kTocDamaged,        // TOC.txt does not name Data.db.
  kNotLoaded,         // TOC.txt lacks Filter.db, so ScyllaDB loads no filter.
  kSaturated,         // Too full to be of use.
  kWorseThanPlanned,
  // ---- No faults: what is not known here ----
  kUnknownVersion,
  kNotSupported,
  kNotRead,           // For want of memory or file descriptors.
  kKeysNotConfirmed,  // Nothing tells how many keys there are.
  // ---- No faults ----
  kOversized,
  // TOC.txt lacks Filter.db, so Cassandra rebuilds the filter at each start.
  kNotInToc,
  // ---- What stands in the way of a mend. Only added where one is due. ----
  kTimesLogged,      // A transaction log holds the times of the files.
  kLogUnread,        // A transaction log, which may do so, cannot be read.
  kPlanUnknown,      // It is not known for which chance to build.
  kNoFilterPlanned,  // The planned chance is 1.
  kPlanTooSmall,     // Cassandra has no filter for so small a chance.
  kDigestsHeld,      // Scylla.db must change, but --rewrite-digests is missing.
  kTocOnly,          // Only TOC.txt must change, which --out-dir does not do.
  // ---- No finding ----
  kOk,
};

struct CheckInfo {
  Check check;
  const char* name;
  Action action;
  bool is_fault;
  const char* remedy;  // What to do, or "" where a mend is enough.
};

const CheckInfo& InfoOf(Check check);
inline const char* NameOf(Check check) { return InfoOf(check).name; }

struct Finding {
  Check check;
  Action action;
  std::string text;  // A sentence about what is wrong. May be empty.
};

// A filter is worse than planned if its false positive rate is more than this
// many times the planned rate. It is oversized if its size is more than this
// many times the planned size.
constexpr double kPlanTolerance = 2;

// An SSTable that was examined. It has no findings if that was not possible, so
// if `sstable.state` is not kLive.
struct Examined {
  // Adds a finding with the action of the table, if there is none of `check`.
  void Add(Check check, const std::string& text = "");
  bool has(Check check) const;
  // Sets the state of an SSTable that a node is writing or removing.
  void LeaveOut(SstableState state);

  // The worst finding, or kOk.
  Check verdict() const;
  bool has_fault() const;
  // The largest action: what `filterdb mend` does about this SSTable.
  Action action() const;
  // For the actions kLeave and kNotKnown, and for keys that are not confirmed:
  // why, and what to do.
  std::string ReasonToLeave() const;
  bool is_not_known() const { return action() == Action::kNotKnown; }
  // The verdict, such as "keys missing (12)". If the SSTable was not examined,
  // the reason, such as "being written".
  std::string VerdictText() const;

  double bits_per_key() const;

  Sstable sstable;
  std::vector<FileStamp> stamps;  // From before the files were read.
  std::vector<Finding> findings;  // The worst first.

  bool has_filter_file = false;
  uint64_t filter_size = 0;      // The size of Filter.db in bytes.
  bool toc_names_filter = true;  // False if a TOC.txt that is good does not.
  // Whether Scylla.db has their digests, which must change with them.
  bool filter_has_digest = false;
  bool toc_has_digest = false;
  FilterFill fill;  // All 0 if the filter is empty or cannot be read.

  bool has_keys = false;  // Whether the keys could be read.
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
