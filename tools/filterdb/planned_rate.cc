// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/planned_rate.h"

#include <algorithm>
#include <cmath>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::tools {

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits) {
  // With one filter in 30,000 outside, on either side.
  constexpr double kStandardDeviations = 4;
  // The probes of a key are equally far apart. Where that distance is a large
  // part of the filter, such as half of it, they come round to the same bits
  // again, and the key sets two bits instead of k. How many keys are like that
  // does not grow with their number, because the filter grows, too. So there is
  // room for three keys that set no bit at all.
  constexpr double kKeysWithoutBits = 3;

  const auto k = static_cast<double>(num_probes);
  const auto n = static_cast<double>(num_keys);
  const auto m = static_cast<double>(capacity_bits);
  const double mean = -m * std::expm1(n * std::log1p(-k / m));
  // The variance of the number of bins that k * n balls hit, out of m.
  const double load = k * n / m;
  const double empty = std::exp(-load);
  const double variance = m * empty * (1 - (1 + load) * empty);
  const double spread =
      kStandardDeviations * std::sqrt(std::max(0.0, variance));
  return {std::max(1.0, mean - spread - kKeysWithoutBits * k),
          std::min(k * n, mean + spread)};
}

bool HasExpectedFill(int num_probes, uint64_t num_keys, uint64_t set_bits,
                     uint64_t capacity_bits) {
  const double rate =
      ObservedFalsePositiveRate(num_probes, set_bits, capacity_bits);
  const double design =
      FalsePositiveRate(num_probes, static_cast<double>(num_keys),
                        static_cast<double>(capacity_bits));
  if (rate >= kLowestOfDesignRate * design &&
      rate <= kHighestOfDesignRate * design) {
    return true;
  }
  const SetBitsRange range = SetBitsOf(num_probes, num_keys, capacity_bits);
  const auto bits = static_cast<double>(set_bits);
  return bits >= range.fewest && bits <= range.most;
}

}  // namespace cassandra_bloom::tools
