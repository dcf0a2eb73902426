// SPDX-License-Identifier: Apache-2.0

// How full a filter is, and whether it is too full.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILTER_FILL_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILTER_FILL_H_

#include <cstdint>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/block_layout.h"

namespace cassandra_bloom::tools {

struct FilterFill {
  // The share of absent keys that the filter lets pass, from 0 to 1. It is 1
  // without a filter.
  double rate() const {
    return ObservedFalsePositiveRate(num_probes, set_bits, capacity_bits);
  }

  double fill_ratio() const {
    return capacity_bits == 0 ? 0
                              : static_cast<double>(set_bits) /
                                    static_cast<double>(capacity_bits);
  }

  // Whether the filter is too full to be of use.
  //
  // On average, the keys that a filter was sized for set at most this share of
  // its bits, at any size that can be chosen: 57 % with three or more probes
  // (at 3.56 bits per key), 86 % with two probes (at one bit per key, for
  // Cassandra's largest chances), 63 % with one probe. If more bits are set
  // than the bounds below (70 %; with one or two probes 95 %), the filter has
  // at least 1.4 times these keys, or bits that no key has set. With many
  // probes, such a filter may still be good. So it is saturated only if more
  // than one in twenty absent keys pass, too.
  bool is_saturated() const {
    const double full = num_probes < 3 ? 0.95 : 0.7;
    constexpr double kPoor = 0.05;
    return static_cast<double>(set_bits) >=
               full * static_cast<double>(capacity_bits) &&
           rate() > kPoor;
  }

  // All are zero if there is no filter, or if it has no bits.
  int num_probes = 0;
  uint64_t set_bits = 0;
  uint64_t capacity_bits = 0;
};

// `filter`: a FilterDbFile, or a CutFilter. Reads all its bits.
template <typename Filter>
FilterFill FillOf(const Filter& filter) {
  return {filter.num_probes(), filter.CountSetBits(), filter.capacity_bits()};
}

inline FilterFill FillOf(const ParsedFilter& filter) {
  return {filter.num_probes, CountSetBits(filter), filter.capacity_bits()};
}

inline FilterFill FillOf(const FilterDbBuilder& filter) {
  return FillOf(
      ParsedFilter{filter.num_probes(), filter.num_words(), filter.bits()});
}

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILTER_FILL_H_
