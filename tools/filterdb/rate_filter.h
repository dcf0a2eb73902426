// SPDX-License-Identifier: Apache-2.0

// Rates a filter: whether it is of use, and whether it has the set bits and the
// rate to expect for its number of keys.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_

#include <cstdint>
#include <string>

#include "tools/sstable/health/filter_fill.h"

namespace cassandra_bloom::tools {

// The range of the number of set bits of a filter with a given number of keys,
// as far as chance explains it.
struct SetBitsRange {
  double fewest;
  double most;
};

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits);

// The average rate of filters of this size with `num_keys` keys.
double DesignRate(const FilterFill& fill, uint64_t num_keys);

// True if a filter of this size with `num_keys` keys may have the set bits of
// `fill`: its rate is 75 to 125 % of DesignRate, or its set bits are within the
// range of SetBitsOf. For few keys, this range is the wider one. `num_keys` and
// the number of probes are at least 1.
bool HasExpectedFill(const FilterFill& fill, uint64_t num_keys);

struct FilterRating {
  std::string verdict;
  bool is_fault = false;
};

// `num_keys`: how many keys the filter should hold, or 0 if unknown. A filter
// without bits is a fault if `num_keys` is known, because it reports every key
// as present.
FilterRating RateFilter(const FilterFill& fill, uint64_t num_keys);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_
