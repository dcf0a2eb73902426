// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/rate_filter.h"

#include <algorithm>
#include <cmath>

#include "filterdb/commands/output.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits) {
  // By chance, one good filter in 30,000 has fewer set bits than this range.
  // One in 30,000 has more.
  constexpr double kStandardDeviations = 4;
  // Some keys set fewer bits than others, because the probes of a key are
  // equally far apart. For example, if their distance is half the filter, they
  // all hit the same two bits. The number of such keys does not grow with the
  // filter. So the range begins lower, as if three keys set no bit at all.
  constexpr double kKeysWithoutBits = 3;

  const auto k = static_cast<double>(num_probes);
  const auto n = static_cast<double>(num_keys);
  const auto m = static_cast<double>(capacity_bits);
  const double mean = -m * std::expm1(n * std::log1p(-k / m));
  // If k * n balls are thrown into m bins, `variance` is the variance of the
  // number of bins that are hit. A bin stands for a bit of the filter. A ball
  // stands for one of the k probes of one of the n keys.
  const double load = k * n / m;
  const double empty = std::exp(-load);
  const double variance = m * empty * (1 - (1 + load) * empty);
  const double spread =
      kStandardDeviations * std::sqrt(std::max(0.0, variance));
  return {std::max(1.0, mean - spread - kKeysWithoutBits * k),
          std::min(k * n, mean + spread)};
}

double DesignRate(const FilterFill& fill, uint64_t num_keys) {
  return FalsePositiveRate(fill.num_probes, static_cast<double>(num_keys),
                           static_cast<double>(fill.capacity_bits));
}

bool HasExpectedFill(const FilterFill& fill, uint64_t num_keys) {
  const double design = DesignRate(fill, num_keys);
  if (fill.rate() >= 0.75 * design && fill.rate() <= 1.25 * design) {
    return true;
  }
  const SetBitsRange range =
      SetBitsOf(fill.num_probes, num_keys, fill.capacity_bits);
  const auto bits = static_cast<double>(fill.set_bits);
  return bits >= range.fewest && bits <= range.most;
}

FilterRating RateFilter(const FilterFill& fill, uint64_t num_keys) {
  constexpr double kNearlyEmpty = 0.02;
  const bool has_bits = fill.capacity_bits > 0;
  const bool is_as_planned =
      num_keys > 0 && has_bits && HasExpectedFill(fill, num_keys);
  FilterRating rating;
  if (!has_bits) {
    rating.verdict = "always present: every look-up reads the disk";
  } else if (fill.is_saturated()) {
    rating = {"saturated", /*is_fault=*/true};
  } else if (fill.fill_ratio() < kNearlyEmpty && !is_as_planned) {
    // A filter in which less than 2 % of the bits are set may be as planned.
    // For example, the only key of a filter sets one bit of 64.
    rating.verdict = "nearly empty";
  }
  if (num_keys > 0 && !is_as_planned) {
    rating.verdict += rating.verdict.empty() ? "" : ", ";
    rating.verdict += "rate not as planned for " + Count(num_keys, "key");
    rating.is_fault = true;
  }
  if (rating.verdict.empty()) {
    rating.verdict = "ok";
  }
  return rating;
}

}  // namespace cassandra_bloom::tools
