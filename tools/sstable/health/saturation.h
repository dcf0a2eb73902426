// SPDX-License-Identifier: Apache-2.0

// Tells whether a filter is too full to be of use.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_SATURATION_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_SATURATION_H_

#include <cstdint>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::tools {

// At every size that can be chosen, the keys that a filter was sized for set on
// average at most 57 % of its bits with three or more probes (at 3.56 bits per
// key), 86 % with two (one bit per key, at Cassandra's largest chances), and
// 63 % with one. A filter with 70 % or 95 % of its bits set, the bounds below,
// has at least 1.4 times the keys that it was sized for, or bits that its keys
// did not set. With many probes it may still be good, so a filter is saturated
// only if it also lets more than one in twenty absent keys pass.
inline bool IsSaturated(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits) {
  const double full = num_probes < 3 ? 0.95 : 0.7;
  constexpr double kPoor = 0.05;
  return static_cast<double>(set_bits) >=
             full * static_cast<double>(capacity_bits) &&
         ObservedFalsePositiveRate(num_probes, set_bits, capacity_bits) > kPoor;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_SATURATION_H_
