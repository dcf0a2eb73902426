// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <algorithm>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {

bool IsFault(FilterVerdict verdict) {
  return verdict < FilterVerdict::kOversized;
}

const char* NameOf(FilterVerdict verdict) {
  switch (verdict) {
    case FilterVerdict::kKeysMissing:
      return "keys missing";
    case FilterVerdict::kOtherForm:
      return "other form";
    case FilterVerdict::kTruncated:
      return "truncated";
    case FilterVerdict::kUnreadable:
      return "unreadable";
    case FilterVerdict::kWrongIndexHashes:
      return "wrong index hashes";
    case FilterVerdict::kDigestDiffers:
      return "digest differs";
    case FilterVerdict::kScyllaDbDamaged:
      return "Scylla.db damaged";
    case FilterVerdict::kEmpty:
      return "empty";
    case FilterVerdict::kMissing:
      return "missing";
    case FilterVerdict::kTocDamaged:
      return "TOC.txt damaged";
    case FilterVerdict::kNotLoaded:
      return "not loaded";
    case FilterVerdict::kSaturated:
      return "saturated";
    case FilterVerdict::kWorseThanPlanned:
      return "worse than planned";
    case FilterVerdict::kOversized:
      return "oversized";
    case FilterVerdict::kNotInToc:
      return "not in TOC.txt";
    case FilterVerdict::kOk:
      return "ok";
  }
  return "";
}

bool FilterFinding::is_fault() const {
  return sstable.state == SstableState::kLive && IsFault(verdict());
}

bool FilterFinding::has(FilterVerdict wanted) const {
  return std::find(verdicts.begin(), verdicts.end(), wanted) != verdicts.end();
}

double FilterFinding::bits_per_key() const {
  return num_keys == 0 ? 0
                       : static_cast<double>(fill.capacity_bits) /
                             static_cast<double>(num_keys);
}

// If bloom_filter_fp_chance is 0.393 or more, even a filter that Cassandra
// sizes lets about 75 % of absent keys pass. So a rate is compared with
// `planned_rate` if that is higher than `plan`.
bool FilterFinding::exceeds_plan(double some_rate) const {
  return plan && planned_size > 0 &&
         some_rate > kPlanTolerance * std::max(*plan, planned_rate);
}

bool FilterFinding::is_oversized(uint64_t some_size) const {
  return plan && planned_size > 0 &&
         static_cast<double>(some_size) >
             kPlanTolerance * static_cast<double>(largest_planned_size);
}

// Since ScyllaDB 6.1, a flush to an SSTable with an Index.db sizes a filter for
// 0.75 times the planned rate. The flush fails if this lower rate is below
// kMinFpChance (maybe_rebuild_filter_from_index, scylladb#31207).
bool FilterFinding::aborts_scylla() const {
  return has_scylla_db &&
         sstable.IndexName() == sstable.name_prefix + "Index.db" && plan &&
         *plan > kMinFpChance && 0.75 * *plan < kMinFpChance;
}

}  // namespace cassandra_bloom::tools
