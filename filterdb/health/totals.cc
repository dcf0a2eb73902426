// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/totals.h"

#include <optional>

#include "filterdb/health/decide_mend.h"

namespace cassandra_bloom::tools {

void Totals::Add(const FilterFinding& finding) {
  if (finding.sstable.state != SstableState::kLive) {
    ++num_left_out;
    return;
  }
  const auto is_made_anew = [&](bool oversized) {
    return DecideMend(finding, {std::nullopt, oversized}).kind ==
           MendDecision::kMakeAnew;
  };
  const bool is_mended = is_made_anew(/*oversized=*/false);
  if (!is_mended && is_made_anew(/*oversized=*/true)) {
    ++num_oversized;
    freed_bytes += finding.filter_size - finding.planned_size;
  }
  ++num_sstables;
  num_faulty += finding.is_fault() ? 1 : 0;
  num_unread += finding.has_keys ? 0 : 1;
  num_keys += finding.num_keys;
  num_missing += finding.num_missing;
  filter_bytes += finding.filter_size;
  mended_filter_bytes += is_mended ? finding.planned_size : finding.filter_size;
  reads += finding.fill.rate();
  mended_reads += is_mended ? finding.planned_rate : finding.fill.rate();
}

}  // namespace cassandra_bloom::tools
