// SPDX-License-Identifier: Apache-2.0

// What filters would cost if files were written anew: with the policy in use,
// and with the policy `mix`. The policies are asked to build filters.
//
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_FORECAST_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_FORECAST_H_

#include <rocksdb/filter_policy.h>

#include <map>
#include <nlohmann/json_fwd.hpp>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/judge.h"
#include "tools/sst_filters/recorded_options.h"

namespace cassandra_bloom::tools {

// What a policy gives a file.
struct SampledFilter {
  bool is_none = false;  // No filter at all.
  double bits_per_key = 0;
  double rate = 1;
  // The peak of memory that the filter adds while its file is written.
  double bytes_to_build = 0;
};

// Lets the policy build a filter of `keys` keys, but of at most 20,000, and
// asks it. If filters are partitioned, builds one partition. RocksDB must have
// told the policy the options of the column family (ValidateOptions), as
// LoadOptions does for the policy of the OPTIONS file.
SampledFilter SampleFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                           const FamilyOptions& options, int level,
                           bool is_bottommost, double keys);

// Returns the forecasts for the column family. The first two may be null:
//   bytes_to_build: what the filter of the largest file adds to the memory
//     while the file is written.
//   mix: the filters that `mix` would give with as many bits per key.
//   notes: sentences.
Json Forecasts(const ExaminedFamily& family, const std::map<int, Sums>& levels,
               const Sums& all);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_FORECAST_H_
