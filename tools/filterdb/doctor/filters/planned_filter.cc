// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/doctor/filters/planned_filter.h"

#include <algorithm>
#include <cmath>

#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {
namespace {

// The rate of RocksDB's Bloom filter, all of whose probes are in a cache line
// (BloomMath::CacheLocalFpRate, util/bloom_impl.h): a mean of the rates of a
// line with many keys and one with few. RocksDB has a table of the probes with
// the lowest measured rate (FastLocalBloomImpl::ChooseNumProbes). The lowest
// rate of the formula is within a few per cent of it.
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
  // RocksDB builds Bloom filters in place of Ribbon filters in flushed files.
  const bool is_ribbon = type == FilterType::kRibbon && level > 0;
  return {is_ribbon ? kRibbonShare * bits : bits, RocksdbsRate(bits)};
}

}  // namespace cassandra_bloom::tools
