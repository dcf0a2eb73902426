// SPDX-License-Identifier: Apache-2.0

// How full a filter is.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILTER_FILL_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILTER_FILL_H_

#include <cstdint>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/block_layout.h"

namespace cassandra_bloom::tools {

struct FilterFill {
  // The share of absent keys that the filter lets pass, from 0 to 1. Without a
  // filter, it is 1.
  double rate() const {
    return ObservedFalsePositiveRate(num_probes, set_bits, capacity_bits);
  }

  double fill_ratio() const {
    return capacity_bits == 0 ? 0
                              : static_cast<double>(set_bits) /
                                    static_cast<double>(capacity_bits);
  }

  // Returns whether the filter is too full to be useful.
  //
  // With three or more probes, the keys that a filter was sized for set at most
  // 57 % of its bits on average. With two probes, they set at most 86 %, and
  // with one probe 63 %. If more bits are set, the filter has too many keys or
  // wrong bits. With many probes, such a filter may still be good, so rate()
  // counts, too.
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

// `filter` is a FilterDbFile or a CutFilter. Reads all bits of the filter.
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
