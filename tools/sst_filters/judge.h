// SPDX-License-Identifier: Apache-2.0

// Says of each SST file whether RocksDB uses its filter and, if not, why and
// what to do. Sums up the files.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_

#include <map>

#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {

// Returns the name of `use` in the JSON.
const char* NameOf(Use use);

// What to do to get the filter of a file written anew.
inline constexpr char kCompactIt[] =
    "compact it (with FIFO compaction, wait until it ages out)";

// Sets the verdict and the rate of each SST file.
void Judge(ExaminedFamily* family);

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

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_JUDGE_H_
