// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/totals.h"

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {

void Totals::Add(const Examined& sstable, const std::vector<double>& chances) {
  if (sstable.sstable.state != SstableState::kLive) {
    ++num_left_out;
    return;
  }
  ++num_sstables;
  const Harms of_this = sstable.harms();
  harms.Add(of_this);
  if (of_this.worst() == Harm::kNone) {
    ++by_harm[static_cast<size_t>(Harm::kNone)];
  }
  for (size_t i = static_cast<size_t>(Harm::kNone) + 1; i < by_harm.size();
       ++i) {
    by_harm[i] += of_this.has(static_cast<Harm>(i)) ? 1 : 0;
  }
  with_chances.resize(chances.size());
  if (!sstable.is_judged) {
    return;
  }
  num_keys += sstable.has_keys ? sstable.num_keys : 0;
  num_missing += sstable.num_missing;
  const Action action = sstable.action();
  const bool is_mended = action == Action::kMend;
  if (sstable.has(Check::kOversized) &&
      (action == Action::kNone || action == Action::kCompleteToc)) {
    freed_bytes += sstable.filter_size - sstable.planned_size;
  }
  const FilterCost today = {sstable.filter_size, sstable.fill.rate()};
  const auto add = [](const FilterCost& cost, FilterCost* sum) {
    sum->bytes += cost.bytes;
    sum->reads += cost.reads;
  };
  add(today, &now);
  add(is_mended ? FilterCost{sstable.planned_size, sstable.planned_rate}
                : today,
      &mended);
  for (size_t i = 0; i < chances.size(); ++i) {
    FilterCost cost = today;
    if (sstable.has_keys) {
      const Sizing sizing = *SizingForFpChance(chances[i]);
      cost.bytes = sizing.FilterSize(sstable.num_keys);
      cost.reads = sizing.ExpectedRate(sstable.num_keys, cost.bytes);
    }
    add(cost, &with_chances[i]);
  }
}

}  // namespace cassandra_bloom::tools
