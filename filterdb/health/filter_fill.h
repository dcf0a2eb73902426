// SPDX-License-Identifier: Apache-2.0

// How full a filter is.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_FILL_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_FILL_H_

#include <cmath>
#include <cstdint>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::tools {

struct FilterFill {
  // The share of absent keys that the filter lets pass, from 0 to 1. Without a
  // filter, it is 1.
  double rate() const {
    return num_probes < 1 || set_bits >= capacity_bits
               ? 1
               : std::pow(fill_ratio(), num_probes);
  }

  double fill_ratio() const {
    return capacity_bits == 0 ? 0
                              : static_cast<double>(set_bits) /
                                    static_cast<double>(capacity_bits);
  }

  // Returns whether the filter is too full to be useful.
  //
  // If a filter has the keys that it was sized for, the average share of set
  // bits is at most:
  //
  //   1 probe            63 %
  //   2 probes           86 %
  //   3 or more probes   57 %
  //
  // If far more bits are set, the filter has too many keys or wrong bits. A
  // filter with many probes may still be good then, because its rate() is low.
  // So the filter is only saturated if its rate() is high, too.
  bool is_saturated() const {
    const double full = num_probes < 3 ? 0.95 : 0.7;
    constexpr double kPoor = 0.05;
    return static_cast<double>(set_bits) >=
               full * static_cast<double>(capacity_bits) &&
           rate() > kPoor;
  }

  // All three are 0 if there is no filter, or if the filter has no bits.
  int num_probes = 0;
  uint64_t set_bits = 0;
  uint64_t capacity_bits = 0;
};

// Reads all bits of the filter.
inline FilterFill FillOf(const FilterDbFile& filter) {
  return {filter.num_probes(), filter.CountSetBits(), filter.capacity_bits()};
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_FILTER_FILL_H_
