// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/filters/level_allocation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cassandra_bloom::tools {
namespace {

const double kLn2Squared = std::log(2.0) * std::log(2.0);

// Minimises the sum of the false positive rates p_i of all runs i. The filters
// together have sum n_i * -ln(p_i) / (ln 2)^2 = total_bits bits, where n_i is
// the number of keys of run i. A Lagrange multiplier gives p_i = r * n_i with a
// constant r. Returns
//
//   ln r = -(total_bits * (ln 2)^2 + sum n_i * ln n_i) / sum n_i
//
// Both sums are over the runs that get a filter. If the rate of the largest run
// would be above 1, this run gets no filter, and r is computed again.
double LogOfRatePerKey(const std::vector<double>& run_keys, double total_bits) {
  std::vector<double> keys;
  std::copy_if(run_keys.begin(), run_keys.end(), std::back_inserter(keys),
               [](double n) { return n > 0; });
  std::sort(keys.begin(), keys.end());
  while (true) {
    double sum = 0;
    double sum_of_logs = 0;
    for (const double n : keys) {
      sum += n;
      sum_of_logs += n * std::log(n);
    }
    const double log_rate_per_key =
        -(total_bits * kLn2Squared + sum_of_logs) / sum;
    if (keys.size() == 1 || log_rate_per_key + std::log(keys.back()) <= 0) {
      return log_rate_per_key;
    }
    keys.pop_back();
  }
}

}  // namespace

double BestRate(double bits_per_key) {
  return std::exp(-bits_per_key * kLn2Squared);
}

std::vector<double> MonkeyBits(const std::vector<double>& run_keys,
                               double total_bits) {
  const double log_rate_per_key = LogOfRatePerKey(run_keys, total_bits);
  std::vector<double> bits;
  for (const double n : run_keys) {
    bits.push_back(
        n > 0 ? std::max(0.0, -(log_rate_per_key + std::log(n)) / kLn2Squared)
              : 0);
  }
  return bits;
}

}  // namespace cassandra_bloom::tools
