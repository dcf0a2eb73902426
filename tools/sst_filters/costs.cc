// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/costs.h"

namespace cassandra_bloom::tools {

void LevelSums::Add(const ExaminedSst& sst, const Verdict& verdict) {
  const double weighted_keys = sst.weight * static_cast<double>(sst.keys);
  files += sst.weight;
  keys += weighted_keys;
  filter_keys += sst.weight * static_cast<double>(sst.filter_keys);
  filter_bytes += sst.weight * static_cast<double>(sst.filter_bytes);
  asked_by_get += sst.answers.by_get > 0 ? sst.weight : 0;
  looked_up += sst.was_looked_up ? sst.weight : 0;
  asked_by_seek += sst.answers.by_seek > 0 ? sst.weight : 0;
  sought += sst.was_sought ? sst.weight : 0;
  if (verdict.rate) {
    rated_files += sst.weight;
    rates += sst.weight * *verdict.rate;
    rated_keys += weighted_keys;
    rated_keys_times_rate += weighted_keys * *verdict.rate;
  }
}

std::optional<double> LevelSums::Rate() const {
  if (rated_files == 0) {
    return std::nullopt;
  }
  // There may be nothing but deleted ranges.
  return rated_keys > 0 ? rated_keys_times_rate / rated_keys : 0;
}

ReadsInVain ReadsInVainOf(const std::map<int, Runs>& runs) {
  ReadsInVain reads;
  double keys = 0;
  double keys_times_reads = 0;
  for (const auto& [level, run] : runs) {
    // Half of the runs of level 0 are above a key that is in one of them.
    const double above = (run.count - 1) / 2 * run.rate;
    keys += run.keys;
    keys_times_reads += run.keys * (reads.absent_key + above);
    reads.absent_key += run.count * run.rate;
  }
  reads.present_key = keys > 0 ? keys_times_reads / keys : 0;
  return reads;
}

Costs CostsOf(const JudgedFamily& family) {
  Costs costs;
  for (size_t i = 0; i < family.ssts.size(); ++i) {
    const ExaminedSst& sst = family.ssts[i];
    if (sst.not_read.empty()) {
      costs.levels[sst.level].Add(sst, family.verdicts[i]);
      costs.all.Add(sst, family.verdicts[i]);
    }
  }
  std::map<int, Runs> runs;
  for (const auto& [level, sums] : costs.levels) {
    if (sums.rated_files == 0) {
      continue;
    }
    runs[level] = level == 0 ? Runs{sums.rated_files, sums.rated_keys,
                                    sums.rates / sums.rated_files}
                             : Runs{1, sums.rated_keys, *sums.Rate()};
  }
  if (!runs.empty()) {
    costs.reads_in_vain = ReadsInVainOf(runs);
  }
  return costs;
}

}  // namespace cassandra_bloom::tools
