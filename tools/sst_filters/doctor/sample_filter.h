// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_SAMPLE_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_SAMPLE_FILTER_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>

#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor/family_options.h"

namespace cassandra_bloom::tools {

// Where a file is written.
struct Place {
  int level = 0;
  bool is_bottommost = false;
};

// What a policy gives a file.
struct SampledFilter {
  bool is_none = false;  // No filter at all.
  double bits_per_key = 0;
  double rate = 1;
  FilterType type = FilterType::kCassandra;
  double keys = 0;           // Of the file.
  double keys_of_block = 0;  // Fewer than `keys` if filters are partitioned.

  // Returns the peak of memory, in bytes, that the filter adds while its file
  // is written.
  double BytesToBuild() const;
};

// Lets the policy build a filter of `keys` keys, but of at most 20,000, and
// asks it. If filters are partitioned, builds one partition. RocksDB must have
// told the policy the options of the column family (ValidateOptions), as
// OptionsOf does for the policy of the OPTIONS file.
SampledFilter SampleFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                           const FamilyOptions& options, const Place& place,
                           double keys);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_SAMPLE_FILTER_H_
