// SPDX-License-Identifier: Apache-2.0

// How the bits of the filters of a database are spread over its sorted runs,
// and how they could be.
//
// The rate of false positives of a Bloom filter with the best number of probes
// is p = e^(-b * (ln 2)^2) at b bits per key. A read of a key that is in none
// of the runs asks them all, so that it meets the sum of their rates.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_LEVEL_ALLOCATION_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_LEVEL_ALLOCATION_H_

#include <vector>

namespace cassandra_bloom::tools {

double BestRate(double bits_per_key);

// Bits per key of each run, of runs with so many keys, that take `total_bits`
// together. At least one run has keys.

// The same for all.
std::vector<double> UniformBits(const std::vector<double>& run_keys,
                                double total_bits);

// With the smallest sum of rates: a run's rate is proportional to its keys, and
// where that would be above 1 it has no filter. (Dayan, Athanassoulis, Idreos:
// Monkey, SIGMOD 2017.)
std::vector<double> MonkeyBits(const std::vector<double>& run_keys,
                               double total_bits);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_LEVEL_ALLOCATION_H_
