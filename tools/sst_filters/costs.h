// SPDX-License-Identifier: Apache-2.0

// What the filters of a column family cost, and what those of other policies
// would cost, if each file were written anew into the level that it is in. The
// other policies build filters, which are then asked: nothing is computed.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/judge.h"

namespace cassandra_bloom::tools {

// The sums of a level, or of all levels. If the files are a sample, these are
// those of the whole database. Files that could not be read are in no sum.
struct LevelSums {
  double files = 0;
  double keys = 0;
  double filter_keys = 0;
  double filter_bytes = 0;
  double asked_by_get = 0;
  double looked_up = 0;
  double asked_by_seek = 0;
  double sought = 0;

  // Of the files whose rate is known.
  double rated_files = 0;
  double rates = 0;
  double rated_keys = 0;
  double rated_keys_times_rate = 0;

  void AddRate(double files_to_add, double keys_of_all, double rate);

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * filter_bytes / filter_keys : 0;
  }
  // The mean share of absent keys that pass, weighted by the keys of the files.
  std::optional<double> Rate() const;
};

struct Costs {
  std::map<int, LevelSums> levels;  // Those that have files.
  LevelSums all;

  // How many blocks a look-up of a key reads in vain, if the key is in the
  // range of each file of level 0, and of a file of each deeper level. Not set
  // if no rate is known. Of a key that is in a file, the mean over all keys: in
  // the files above it.
  std::optional<double> absent_key_in_vain;
  std::optional<double> present_key_in_vain;
};

Costs CostsOf(const JudgedFamily& family);

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// Adds a row for each of the other policies, what the files have now, and
// notes to `*settings`, or less if nothing can be said. `absent_share` is that
// of look-ups that found no key, if LOG says it. Shows its progress.
void AddSettings(const JudgedFamily& family, const Costs& now,
                 std::optional<double> absent_share, Json* settings);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
