// SPDX-License-Identifier: Apache-2.0

// Whether a filter is too full to be of use.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SATURATION_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SATURATION_H_

#include <cstdint>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::tools {

// At every size that can be chosen, a filter of the keys that it was sized for
// has at most 53 % of its bits set with three or more probes, 63 % with one,
// and with two 86 % (one bit per key, at Cassandra's largest chances). Beyond
// these bounds it has at least 1.7 times those keys, or not these bits. With
// many probes it may still be good: only one that lets more than one in twenty
// absent keys pass is called saturated.
inline bool IsSaturated(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits) {
  const double full = num_probes < 3 ? 0.95 : 0.7;
  constexpr double kPoor = 0.05;
  return static_cast<double>(set_bits) >=
             full * static_cast<double>(capacity_bits) &&
         ObservedFalsePositiveRate(num_probes, set_bits, capacity_bits) > kPoor;
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SATURATION_H_
