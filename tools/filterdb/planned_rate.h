// SPDX-License-Identifier: Apache-2.0

// Tells whether a filter has the false positive rate that its number of keys
// gives.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_PLANNED_RATE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_PLANNED_RATE_H_

#include <cstdint>

namespace cassandra_bloom::tools {

// The rate may differ from the design rate by this factor in any case.
constexpr double kLowestOfDesignRate = 0.75;
constexpr double kHighestOfDesignRate = 1.25;

// The numbers of set bits that a filter with so many keys may have by chance.
struct SetBitsRange {
  double fewest;
  double most;
};

SetBitsRange SetBitsOf(int num_probes, uint64_t num_keys,
                       uint64_t capacity_bits);

// True if a filter of this size with `num_keys` keys may have so many bits set:
// its rate is 75 to 125 % of the design rate, or it is in the range above,
// which is wider for few keys. `num_keys` and `num_probes` are at least 1.
bool HasExpectedFill(int num_probes, uint64_t num_keys, uint64_t set_bits,
                     uint64_t capacity_bits);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_PLANNED_RATE_H_
