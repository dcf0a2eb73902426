// SPDX-License-Identifier: Apache-2.0

// What filterdb has found out about the filter of an SSTable.
// Tested in tests/filterdb/scan/scan_test.cc.
// Tested in tests/sstable/health/decide_mend_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FINDING_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/sstable/health/filter_fill.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

// From the worst to the best. Those before kOversized are faults.
enum class FilterVerdict {
  kKeysMissing,  // The filter denies keys of the SSTable: rows are hidden.
  kOtherForm,    // The filter has all keys if read as another form.
  kTruncated,
  kUnreadable,        // The filter or the keys cannot be read.
  kWrongIndexHashes,  // Partitions.db has other hash bits than its keys.
  kDigestDiffers,     // From Scylla.db: ScyllaDB refuses the SSTable.
  kScyllaDbDamaged,   // Or it has an unknown layout.
  kEmpty,             // Cassandra takes an empty file for "every key is here".
  kMissing,           // No filter, but one is planned or TOC.txt names it.
  kTocDamaged,        // TOC.txt does not even name Data.db.
  kNotLoaded,         // TOC.txt does not name the filter: ScyllaDB ignores it.
  kSaturated,
  kWorseThanPlanned,
  kOversized,
  kNotInToc,  // TOC.txt does not name the filter: Cassandra makes the filter
              // anew at each start.
  kOk,
};

bool IsFault(FilterVerdict verdict);

// A filter may have this many times its planned rate or size before it is worse
// than planned or oversized.
constexpr double kPlanTolerance = 2;

// The name of a verdict, such as "keys missing".
const char* NameOf(FilterVerdict verdict);

// Which files have other digests than Scylla.db says.
struct DigestDifferences {
  bool any() const { return filter || toc || unfinished_toc; }

  bool filter = false;
  bool toc = false;
  bool unfinished_toc = false;  // A mend that completed TOC.txt was killed.
};

struct FilterFinding {
  bool is_fault() const;
  // The worst verdict. Call this only if the SSTable was examined.
  FilterVerdict verdict() const { return verdicts.front(); }
  bool has(FilterVerdict verdict) const;
  double bits_per_key() const;
  // Whether a filter with this rate is worse than planned. False if there is no
  // plan to compare with.
  bool exceeds_plan(double some_rate) const;
  // Whether a filter of this size, in bytes, is oversized. False if there is no
  // plan to compare with.
  bool is_oversized(uint64_t some_size) const;
  // Whether ScyllaDB aborts when it flushes the table, because of its plan.
  bool aborts_scylla() const;

  Sstable sstable;
  std::vector<FilterVerdict> verdicts;  // The worst first.

  bool has_scylla_db = false;
  DigestDifferences digests;
  bool has_filter_file = false;
  uint64_t filter_size = 0;  // The size of the file in bytes.
  FilterFill fill;           // Zero if the filter cannot be read, or is empty.

  bool has_keys = false;  // The keys could be read.
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  uint64_t num_wrong_hashes = 0;
  std::string written_as;  // The form in which the filter has all keys.

  // The planned false positive rate, bloom_filter_fp_chance. If it is unknown,
  // it is not set, and `plan_error` says why.
  std::optional<double> plan;
  std::string plan_error;
  // The size in bytes of a filter that is made by the plan; 0 if the plan is
  // unknown or is to have no filter.
  uint64_t planned_size = 0;
  // The same, or that for the fewest keys that Cassandra plans for.
  uint64_t largest_planned_size = 0;
  // The false positive rate to expect of a filter of this size.
  double planned_rate = 1;

  std::vector<std::string> errors;  // Why something cannot be read.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FINDING_H_
