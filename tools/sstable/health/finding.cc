// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/finding.h"

#include <algorithm>

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
    case FilterVerdict::kEmpty:
      return "empty";
    case FilterVerdict::kMissing:
      return "missing";
    case FilterVerdict::kSaturated:
      return "saturated";
    case FilterVerdict::kWorseThanPlanned:
      return "worse than planned";
    case FilterVerdict::kOversized:
      return "oversized";
    case FilterVerdict::kOk:
      return "ok";
  }
  return "";
}

const char* NameOf(Stage stage) {
  switch (stage) {
    case Stage::kExamined:
      return "examined";
    case Stage::kBeingWritten:
      return "being written";
    case Stage::kObsolete:
      return "obsolete";
    case Stage::kVanished:
      return "vanished";
  }
  return "";
}

bool FilterFinding::is_fault() const {
  return stage == Stage::kExamined && IsFault(verdict());
}

bool FilterFinding::has(FilterVerdict wanted) const {
  return std::find(verdicts.begin(), verdicts.end(), wanted) != verdicts.end();
}

double FilterFinding::bits_per_key() const {
  return num_keys == 0 ? 0
                       : static_cast<double>(capacity_bits) /
                             static_cast<double>(num_keys);
}

double FilterFinding::fill_ratio() const {
  return capacity_bits == 0 ? 0
                            : static_cast<double>(set_bits) /
                                  static_cast<double>(capacity_bits);
}

void Totals::Add(const FilterFinding& finding) {
  if (finding.stage != Stage::kExamined) {
    ++num_left_out;
    return;
  }
  // What mend would do: see ReasonToLeave in mend/mend_filter.h.
  const bool is_mended = finding.is_fault() && finding.planned_size > 0 &&
                         !finding.has(FilterVerdict::kWrongIndexHashes) &&
                         !finding.files.time_is_logged;
  ++num_sstables;
  num_faulty += finding.is_fault() ? 1 : 0;
  num_keys += finding.num_keys;
  num_missing += finding.num_missing;
  filter_bytes += finding.filter_size;
  mended_filter_bytes += is_mended ? finding.planned_size : finding.filter_size;
  reads += finding.rate;
  mended_reads += is_mended ? finding.planned_rate : finding.rate;
}

void Totals::Add(const Totals& other) {
  num_sstables += other.num_sstables;
  num_faulty += other.num_faulty;
  num_left_out += other.num_left_out;
  num_keys += other.num_keys;
  num_missing += other.num_missing;
  filter_bytes += other.filter_bytes;
  mended_filter_bytes += other.mended_filter_bytes;
  reads += other.reads;
  mended_reads += other.mended_reads;
}

}  // namespace cassandra_bloom::tools
