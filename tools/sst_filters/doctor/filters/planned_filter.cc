// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/filters/planned_filter.h"

#include <algorithm>
#include <cmath>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

// Returns the rate of RocksDB's Bloom filter, which has all probes of a key in
// one cache line. The rate is the mean of the rates of a line with many keys
// and a line with few keys (BloomMath::CacheLocalFpRate, util/bloom_impl.h).
// RocksDB takes the number of probes from a table
// (FastLocalBloomImpl::ChooseNumProbes). This function takes the best number,
// which changes the rate by at most a few per cent.
double RocksdbsRate(double bits_per_key) {
  constexpr double kLineBits = 512;
  constexpr int kMostProbes = 24;
  const double keys = kLineBits / bits_per_key;
  const double deviation = std::sqrt(keys);
  double lowest = 1;
  for (int probes = 1; probes <= kMostProbes; ++probes) {
    const double of_many =
        FalsePositiveRate(probes, keys + deviation, kLineBits);
    const double of_few =
        FalsePositiveRate(probes, keys - deviation, kLineBits);
    lowest = std::min(lowest, (of_many + of_few) / 2);
  }
  return lowest;
}

}  // namespace

PlannedFilter PlanFilter(FilterType type, const std::optional<Sizing>& sizing,
                         int level) {
  // RocksDB's Ribbon filter "saves about 30% space compared to Bloom filters",
  // at the same rate (NewRibbonFilterPolicy, include/rocksdb/filter_policy.h).
  constexpr double kRibbonShare = 0.7;
  if (!sizing) {
    return {};
  }
  const double bits = sizing->bits_per_key();
  if (type == FilterType::kCassandra) {
    return {bits, FalsePositiveRate(sizing->num_probes, 1, bits)};
  }
  // In flushed files, RocksDB builds Bloom filters in place of Ribbon filters.
  const bool is_ribbon = type == FilterType::kRibbon && level > 0;
  return {is_ribbon ? kRibbonShare * bits : bits, RocksdbsRate(bits)};
}

}  // namespace cassandra_bloom::tools
