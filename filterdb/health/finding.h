// SPDX-License-Identifier: Apache-2.0

// What filterdb has found out about the filter of an SSTable.
// Tested in filterdb/tests/commands/scan/scan_test.cc.
// Tested in filterdb/tests/health/decide_mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/filter_fill.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// From the worst to the best. The verdicts before kOversized are faults.
enum class FilterVerdict {
  kKeysMissing,  // The filter denies keys of the SSTable, so rows are hidden.
  kOtherForm,    // The filter has all keys if read with another FilterForm.
  kTruncated,
  kUnreadable,        // The filter or the keys cannot be read.
  kWrongIndexHashes,  // Hash bytes in Partitions.db do not fit the keys.
  kDigestDiffers,     // The CRC-32 of a file differs from Scylla.db.
  kScyllaDbDamaged,   // Scylla.db is damaged or has an unknown layout.
  kEmpty,             // Filter.db is empty, so Cassandra lets every key pass.
  kMissing,           // No filter, although it is planned or in TOC.txt.
  kTocDamaged,        // TOC.txt does not name Data.db.
  kNotLoaded,         // TOC.txt lacks Filter.db, so ScyllaDB loads no filter.
  kSaturated,
  kWorseThanPlanned,
  kOversized,
  // TOC.txt lacks Filter.db, so Cassandra rebuilds the filter at each start.
  kNotInToc,
  kOk,
};

bool IsFault(FilterVerdict verdict);

// A filter is worse than planned if its false positive rate is more than this
// many times the planned rate. It is oversized if its size is more than this
// many times the planned size.
constexpr double kPlanTolerance = 2;

const char* NameOf(FilterVerdict verdict);

// Which files have another CRC-32 than Scylla.db says.
struct DigestDifferences {
  bool any() const { return filter || toc || unfinished_toc; }

  bool filter = false;
  bool toc = false;
  // A killed `filterdb mend` has changed Scylla.db, but not yet TOC.txt.
  bool unfinished_toc = false;
};

struct FilterFinding {
  bool is_fault() const;
  // The worst verdict. Call this only if the SSTable was examined.
  FilterVerdict verdict() const { return verdicts.front(); }
  bool has(FilterVerdict verdict) const;
  double bits_per_key() const;
  // Returns whether a false positive rate is worse than planned.
  bool exceeds_plan(double some_rate) const;
  // Returns whether a filter of `some_size` bytes is larger than planned.
  bool is_oversized(uint64_t some_size) const;
  // Returns whether the planned rate makes ScyllaDB abort when it flushes.
  bool aborts_scylla() const;

  Sstable sstable;
  std::vector<FilterVerdict> verdicts;  // The worst first.

  bool has_scylla_db = false;
  DigestDifferences digests;
  bool has_filter_file = false;
  uint64_t filter_size = 0;  // The size of Filter.db in bytes.
  FilterFill fill;           // All 0 if the filter is empty or cannot be read.

  bool has_keys = false;  // Whether the keys could be read.
  uint64_t num_keys = 0;
  uint64_t num_missing = 0;
  uint64_t num_wrong_hashes = 0;
  // The name of the FilterForm with which the filter has all keys.
  std::string written_as;

  // The planned false positive rate, bloom_filter_fp_chance. If it is unknown,
  // `plan_error` says why.
  std::optional<double> plan;
  std::string plan_error;
  // The size in bytes of a filter for the keys of this SSTable and the planned
  // chance. It is 0 if the plan is unknown, or if no filter is planned.
  uint64_t planned_size = 0;
  // The planned size in bytes for 128 keys, or for the keys of the SSTable if
  // these are more. Cassandra may plan for 128 keys even if the SSTable has
  // fewer.
  uint64_t largest_planned_size = 0;
  // The false positive rate to expect of a filter with the planned size.
  double planned_rate = 1;

  std::vector<std::string> errors;  // Sentences about what is wrong.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_FINDING_H_
