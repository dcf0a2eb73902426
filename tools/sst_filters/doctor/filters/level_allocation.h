// SPDX-License-Identifier: Apache-2.0

// How bits are spread over the filters of a database's sorted runs, and how
// they could be spread better.
//
// A Bloom filter with b bits per key and the best number of probes has the
// false positive rate e^(-b * (ln 2)^2). A read of an absent key asks the
// filters of all runs. The expected number of false positives of the read is
// the sum of the rates of these filters.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_

#include <vector>

namespace cassandra_bloom::tools {

double BestRate(double bits_per_key);

// Returns the bits per key of each run with which the sum of the rates is
// smallest (Dayan, Athanassoulis, Idreos: Monkey, SIGMOD 2017). The rate of a
// run is then proportional to its number of keys. A run whose rate would be
// above 1 has no filter. All runs together take `total_bits`. At least one run
// must have keys.
std::vector<double> MonkeyBits(const std::vector<double>& run_keys,
                               double total_bits);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_
