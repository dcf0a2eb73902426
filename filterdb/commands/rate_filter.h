// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_RATE_FILTER_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_RATE_FILTER_H_

#include <cstdint>
#include <string>

#include "filterdb/health/filter_fill.h"

namespace cassandra_bloom::tools {

// The numbers of set bits that are plausible by chance for a filter with a
// given number of keys.
struct SetBitsRange {
  double fewest;
  double most;
};

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits);

// Returns the average false positive rate of filters of this size with
// `num_keys` keys.
double DesignRate(const FilterFill& fill, uint64_t num_keys);

// Returns whether `fill` is plausible for a filter of this size with `num_keys`
// keys. Its rate must be 75 to 125 % of DesignRate, or its set bits must be in
// the range of SetBitsOf. `num_keys` and the number of probes must be at least
// 1.
bool HasExpectedFill(const FilterFill& fill, uint64_t num_keys);

struct FilterRating {
  std::string verdict;
  bool is_fault = false;
};

// Rates a filter that should hold `num_keys` keys. 0 means that the number is
// unknown. A filter without bits is a fault if `num_keys` is known, because it
// reports every key as present.
FilterRating RateFilter(const FilterFill& fill, uint64_t num_keys);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_RATE_FILTER_H_
