// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/totals.h"

#include "tools/sstable/health/decide_mend.h"

namespace cassandra_bloom::tools {

void Totals::Add(const FilterFinding& finding) {
  if (finding.sstable.state != SstableState::kLive) {
    ++num_left_out;
    return;
  }
  const bool is_mended =
      DecideMend(finding, {}).kind == MendDecision::kMakeAnew;
  ++num_sstables;
  num_faulty += finding.is_fault() ? 1 : 0;
  num_keys += finding.num_keys;
  num_missing += finding.num_missing;
  filter_bytes += finding.filter_size;
  mended_filter_bytes += is_mended ? finding.planned_size : finding.filter_size;
  reads += finding.fill.rate();
  mended_reads += is_mended ? finding.planned_rate : finding.fill.rate();
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
