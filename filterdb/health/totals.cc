// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/totals.h"

namespace cassandra_bloom::tools {

void Totals::Add(const Examined& sstable) {
  if (sstable.sstable.state != SstableState::kLive) {
    ++num_left_out;
    return;
  }
  if (sstable.is_not_known()) {
    ++num_not_known;
    return;
  }
  const Action action = sstable.action();
  const bool is_mended = action == Action::kMend;
  if (sstable.has(Check::kOversized) &&
      (action == Action::kNone || action == Action::kCompleteToc)) {
    ++num_oversized;
    freed_bytes += sstable.filter_size - sstable.planned_size;
  }
  ++num_sstables;
  num_faulty += sstable.has_fault() ? 1 : 0;
  num_not_confirmed += sstable.has(Check::kKeysNotConfirmed) ? 1 : 0;
  num_unread += sstable.has_keys ? 0 : 1;
  num_keys += sstable.num_keys;
  num_missing += sstable.num_missing;
  filter_bytes += sstable.filter_size;
  mended_filter_bytes += is_mended ? sstable.planned_size : sstable.filter_size;
  reads += sstable.fill.rate();
  mended_reads += is_mended ? sstable.planned_rate : sstable.fill.rate();
}

}  // namespace cassandra_bloom::tools
