// SPDX-License-Identifier: Apache-2.0

// How the bits of the filters of a database are spread over its sorted runs,
// and how they could be.
//
// The false positive rate of a Bloom filter with the best number of probes is
// p = e^(-b * (ln 2)^2) at b bits per key. A read of a key that is in none of
// the runs asks all their filters, so its expected number of false positives is
// the sum of their rates.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_

#include <vector>

namespace cassandra_bloom::tools {

double BestRate(double bits_per_key);

// The bits per key of each run, given each run's number of keys, with which the
// sum of the rates is smallest: a run's rate is proportional to its number of
// keys. A run whose rate would be above 1 has no filter. (Dayan, Athanassoulis,
// Idreos: Monkey, SIGMOD 2017.) All runs together take `total_bits`. At least
// one must have keys.
std::vector<double> MonkeyBits(const std::vector<double>& run_keys,
                               double total_bits);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_LEVEL_ALLOCATION_H_
