// SPDX-License-Identifier: Apache-2.0

// What filters would cost if all files were written anew: with the policy in
// use, and with the policy `mix`. Both policies are asked to build filters.
//
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FORECAST_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FORECAST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tools/sst_filters/doctor/judge.h"

namespace cassandra_bloom::tools {

struct PlannedFilters {
  double bytes = 0;
  double false_positives = 0;  // As in LevelSums.
};

struct Forecast {
  // The peak of memory that the filter of the largest file adds while the file
  // is written. nullopt if the policy is not known or builds no filter.
  std::optional<double> bytes_to_build;
  std::string largest_sst;

  // What to do about the bits per key, or empty.
  std::string advice;

  // The policy `mix` with the fewest bits per key that gives no more false
  // positives than there are now. Empty if there is no forecast.
  std::string mix_policy;
  PlannedFilters mix;
};

Forecast ForecastOf(const JudgedFamily& judged);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FORECAST_H_
