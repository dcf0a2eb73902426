// SPDX-License-Identifier: Apache-2.0

// Tells whether a filter is of use, and whether it is like one with so many
// keys.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_

#include <cstdint>
#include <string>

#include "tools/sstable/health/filter_fill.h"

namespace cassandra_bloom::tools {

// The numbers of set bits that a filter with so many keys may have by chance.
struct SetBitsRange {
  double fewest;
  double most;
};

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits);

// The rate that a filter of this size has on average with so many keys.
double DesignRate(const FilterFill& fill, uint64_t num_keys);

// True if a filter of this size with `num_keys` keys may have so many bits set:
// its rate is 75 to 125 % of the design rate, or it is in the range above,
// which is wider for few keys. `num_keys` and the probes are at least 1.
bool HasExpectedFill(const FilterFill& fill, uint64_t num_keys);

struct FilterRating {
  std::string verdict;
  bool is_fault = false;
};

// `num_keys`: how many keys the filter should hold; 0 if that is not known. A
// filter without bits, to which every key is present, has the rate of no number
// of keys.
FilterRating RateFilter(const FilterFill& fill, uint64_t num_keys);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_RATE_FILTER_H_
