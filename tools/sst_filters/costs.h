// SPDX-License-Identifier: Apache-2.0

// What the filters of levels cost, and what they would cost if files were
// written anew: with the policy in use, and with the policy `mix`. The policies
// are asked to build filters.
//
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_

#include <rocksdb/filter_policy.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/examine.h"
#include "tools/sst_filters/recorded_options.h"

namespace cassandra_bloom::tools {

// The sums of a level, or of all levels. Those of a sample are scaled to all
// files.
struct Sums {
  double files = 0;
  double keys = 0;
  double keys_times_rate = 0;
  double filter_keys = 0;
  double filter_bytes = 0;
  double asked_by_get = 0;
  double asked_by_seek = 0;
  // In a look-up of a key that is in no file, but in the range of every sorted
  // run. Each file of level 0 is a run, and each deeper level is one.
  double false_positives = 0;

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * filter_bytes / filter_keys : 0;
  }
  // The mean share of absent keys that pass, weighted by the keys of the files.
  double Rate() const { return keys > 0 ? keys_times_rate / keys : 0; }

  Sums& operator+=(const Sums& other);
};

// Returns the sums of each level that has files. Judge must come before.
std::map<int, Sums> SumsOfLevels(const ExaminedFamily& family);

// What a policy gives a file.
struct SampledFilter {
  double bits_per_key = 0;
  double rate = 1;
  // The peak of memory that the filter adds while its file is written.
  double bytes_to_build = 0;
};

// Lets the policy build a filter of `keys` keys, but of at most 20,000, and
// asks it. If filters are partitioned, builds one partition. RocksDB must have
// told the policy the options of the column family (ValidateOptions), as
// LoadOptions does for the policy of the OPTIONS file. Returns nullopt if the
// policy gives the file no filter.
std::optional<SampledFilter> SampleFilter(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy, const FamilyOptions& options,
    int level, bool is_bottommost, double keys);

// Returns the forecasts for the column family. The first two may be null:
//   bytes_to_build: what the filter of the largest file adds to the memory
//     while the file is written.
//   mix: the filters that `mix` would give with as many bits per key.
//   notes: sentences.
Json Forecasts(const ExaminedFamily& family, const std::map<int, Sums>& levels,
               const Sums& all);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
