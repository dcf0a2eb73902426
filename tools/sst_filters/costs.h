// SPDX-License-Identifier: Apache-2.0

// What the filters of a column family cost: sums of its levels.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_

#include <map>
#include <optional>

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

  void Add(const ExaminedSst& sst, const Verdict& verdict);

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * filter_bytes / filter_keys : 0;
  }
  // The mean share of absent keys that pass, weighted by the keys of the files.
  std::optional<double> Rate() const;
};

// How many blocks a look-up of a key reads in vain, if the key is in the range
// of each file of level 0, and of a file of each deeper level.
struct ReadsInVain {
  double absent_key = 0;
  // Of a key that is in a file, the mean over all keys: in the files above it.
  double present_key = 0;
};

// One run of sorted keys or, in level 0, several: each file is one.
struct Runs {
  double count = 0;
  double keys = 0;
  double rate = 0;
};

// By level.
ReadsInVain ReadsInVainOf(const std::map<int, Runs>& runs);

struct Costs {
  std::map<int, LevelSums> levels;  // Those that have files.
  LevelSums all;
  // Not set if no rate is known.
  std::optional<ReadsInVain> reads_in_vain;
};

Costs CostsOf(const JudgedFamily& family);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_COSTS_H_
